// `identity` as it is installed: a small program that is started in a millisecond. It answers `identity token` itself
// when a valid token is in the store, which scripts ask for in loops, and becomes the whole tool for everything else.

import CoreDumps

core_dumps_forbid()
if let question = TokenQuestion(), let token = StoredToken(answering: question) {
    token.print(in: question.format)
}
WholeTool.takeOver()
