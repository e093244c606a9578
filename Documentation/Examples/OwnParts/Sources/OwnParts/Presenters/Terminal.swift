/// Place where people read and write: a real terminal in a program, a script in a test.
public struct Terminal: Sendable {
    let show: @Sendable (String) -> Void
    /// Reads a line, and hides what is typed of a secret; `nil` when the person gives up.
    let ask: @Sendable (_ question: String, _ isSecret: Bool) async -> String?

    public init(
        show: @escaping @Sendable (String) -> Void, ask: @escaping @Sendable (String, Bool) async -> String?
    ) {
        (self.show, self.ask) = (show, ask)
    }
}
