const page = new Page();
if (page.page.live) followServer(page);
window.inertialCheck = page;
