/// What went wrong in a write that succeeded.
enum StoreWarning {
    typealias Receiver = @Sendable (TokenStoreError) -> Void

    private static let ofTask = TaskLocal<Receiver?>(wrappedValue: nil)

    /// Tells whoever has asked for the current write.
    static func give(_ warning: TokenStoreError) { ofTask.get()?(warning) }

    /// The result of `body`, a write whose warnings go to `receiver`.
    static func telling<Result>(
        _ receiver: @escaping Receiver, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await ofTask.withValue(receiver, operation: body)
    }
}
