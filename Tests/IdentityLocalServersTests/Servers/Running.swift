/// Runs `body`, and then `stop`, also when `body` throws.
func running(_ body: () async throws -> Void, thenStopping stop: () async -> Void) async throws {
    do {
        try await body()
    } catch {
        await stop()
        throw error
    }
    await stop()
}
