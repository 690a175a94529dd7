"""Code actions: quick fixes of findings, as edits for the editor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lsprotocol import types
from pygls.uris import from_fs_path

from inertial_check.lsp.checking import Document, DocumentCheck
from inertial_check.lsp.diagnostics import SOURCE, find_within
from inertial_check.lsp.quick_fixes import QuickFix, QuickFixes, changes
from inertial_check.model import Finding

_MOST = 8
"""Most findings of a request whose quick fixes are tried, as each costs a check."""

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{SOURCE}"


class Actions:
    """The code actions of one request.

    Args:
        documents: The open documents, by path.
        versioned: Whether the editor takes edits with the versions of documents.
        params: Parameters of the request.
    """

    def __init__(
        self, documents: Mapping[str, Document], versioned: bool, params: types.CodeActionParams
    ) -> None:
        self._documents = documents
        self._versioned = versioned
        self._params = params

    def of(
        self, document: Document, checks: Sequence[tuple[DocumentCheck, QuickFixes]]
    ) -> list[types.CodeAction]:
        """The actions of the requested kinds, in the order in which the editor shows them."""
        actions: list[types.CodeAction] = []
        for checked, fixes in checks:
            here = list(find_within(checked, document, self._params.range))
            if self._wants(types.CodeActionKind.QuickFix):
                for finding, shown in here[:_MOST]:
                    for quick_fix in fixes.of(finding):
                        _add(actions, self._quick(checked, quick_fix, finding, shown))
                both = fixes.all(safe=False) if any(each.fix for each, _ in here) else None
                if both is not None and both.bodies > 1:
                    _add(actions, self._action(checked, both, types.CodeActionKind.QuickFix))
            if checked.document is document and self._wants(FIX_ALL):
                safe = fixes.all(safe=True)
                if safe is not None:
                    _add(actions, self._action(checked, safe, FIX_ALL))
        return actions

    def _wants(self, kind: str) -> bool:
        only = self._params.context.only
        if only is None:
            return True
        wanted = [each.value if isinstance(each, types.CodeActionKind) else each for each in only]
        return any(not each or kind == each or kind.startswith(f"{each}.") for each in wanted)

    def _quick(
        self, checked: DocumentCheck, quick_fix: QuickFix, finding: Finding, shown: types.Range
    ) -> types.CodeAction | None:
        action = self._action(checked, quick_fix, types.CodeActionKind.QuickFix)
        if action is not None:
            known = self._params.context.diagnostics
            action.diagnostics = [
                each for each in known if each.code == finding.code and each.range == shown
            ]
            action.is_preferred = quick_fix.sure or None
        return action

    def _action(
        self, checked: DocumentCheck, quick_fix: QuickFix, kind: str
    ) -> types.CodeAction | None:
        """The action of a quick fix; None where a document has changed since, or is unknown."""
        edits: list[types.TextDocumentEdit] = []
        for path, (text, replacements) in changes(checked, quick_fix).items():
            opened = self._documents.get(path)
            if opened is not None and not opened.text.has_same_content(text):
                return None
            uri = opened.uri if opened is not None else from_fs_path(path)
            if uri is None:
                return None
            now = text if opened is None else opened.text
            edits.append(
                types.TextDocumentEdit(
                    types.OptionalVersionedTextDocumentIdentifier(
                        uri, opened.version if opened is not None else None
                    ),
                    [
                        types.TextEdit(now.exact_range(each.place), each.text)
                        for each in replacements
                    ],
                )
            )
        if not edits:
            return None
        if self._versioned:
            edit = types.WorkspaceEdit(document_changes=edits)
        else:
            plain = {
                each.text_document.uri: [x for x in each.edits if isinstance(x, types.TextEdit)]
                for each in edits
            }
            edit = types.WorkspaceEdit(changes=plain)
        return types.CodeAction(quick_fix.title, kind, edit=edit)


def _add(actions: list[types.CodeAction], action: types.CodeAction | None) -> None:
    """Add an action, unless it is there already, as several findings of a body have the same."""
    known = [(each.kind, each.edit) for each in actions]
    if action is not None and (action.kind, action.edit) not in known:
        actions.append(action)
