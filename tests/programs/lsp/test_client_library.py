"""The server as a client library meets it that validates every message."""

import asyncio
import sys

import pytest

pytest.importorskip("pygls", reason='install "inertial-check[lsp]"')

from lsprotocol import types
from pygls.lsp.client import LanguageClient

ROBOT = (
    '<robot name="arm"><link name="forearm"><inertial><mass value="1.35"/><inertia ixx="0.00801" '
    'ixy="0" ixz="0" iyy="0.0801" iyz="0" izz="0.00081"/></inertial></link></robot>'
)


async def _session(folder):
    client = LanguageClient("editor", "1")
    shown = asyncio.get_running_loop().create_future()

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def published(params: types.PublishDiagnosticsParams) -> None:
        shown.set_result(params)

    await client.start_io(sys.executable, "-m", "inertial_check", "lsp", cwd=folder)
    try:
        capabilities = types.ClientCapabilities()
        await client.initialize_async(types.InitializeParams(capabilities))
        client.initialized(types.InitializedParams())
        uri = (folder / "arm.urdf").as_uri()
        item = types.TextDocumentItem(uri, "xml", 1, ROBOT)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        params = await asyncio.wait_for(shown, 60)
        document = types.TextDocumentIdentifier(uri)
        (diagnostic,) = params.diagnostics
        context = types.CodeActionContext([diagnostic])
        asked = types.CodeActionParams(document, diagnostic.range, context)
        actions = await client.text_document_code_action_async(asked)
        where = types.HoverParams(document, diagnostic.range.start)
        hover = await client.text_document_hover_async(where)
        await client.shutdown_async(None)
        client.exit(None)
        return params, actions, hover
    finally:
        await client.stop()


def test_every_message_is_as_the_protocol_says(tmp_path):
    params, actions, hover = asyncio.run(_session(tmp_path))
    assert [each.code for each in params.diagnostics] == ["IC301"]
    assert params.version == 1
    assert [each.kind for each in actions][:2] == ["quickfix", "quickfix"]
    assert hover.contents.kind is types.MarkupKind.Markdown
