// A live view: the server says when the file was saved, and the page fetches the scene again.

function followServer(page) {
  const events = new EventSource("events");
  let shown = page.scene ? "first" : null;
  events.onerror = () => page.say("The view server has gone, so saves no longer show. Start inertial-check view again, and this page follows.");
  events.onopen = () => page.say("");
  events.addEventListener("scene", async (event) => {
    if (event.data === shown) return;
    shown = event.data;
    const answer = await fetch("scene.json", { cache: "no-store" });
    if (!answer.ok) return;
    const scene = await answer.json();
    Object.assign(page.meshes, scene.meshes);
    page.show(scene, true);
  });
}
