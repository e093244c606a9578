import IdentityKit

/// Hands the code of a sign-in on another device to a test.
package struct ShownCode: DeviceCodePresenter {
    private let take: @Sendable (DeviceCode) -> Void

    package init(_ take: @escaping @Sendable (DeviceCode) -> Void) {
        self.take = take
    }

    package func show(_ code: DeviceCode) async throws {
        take(code)
    }
}
