import Foundation
import IdentityKit
import OAuthKit

/// The flows that wait for their callback, so that a callback finds its own flow after a restart of the app, and no other
/// one. Adding one is synchronous, because opening a page is.
typealias PendingFlows = PendingFlowStore<PendingFlow>

extension PendingFlowStore<PendingFlow> {
    /// The flow of the server at `backend` whose answer `url` is, and the answer. Of several that fit, the newest; those
    /// with a `state` of their own come first.
    /// - Throws: ``InsForgeAuthError/invalidCallback(_:)`` when it is nobody's; ``TokenStoreError``.
    func match(
        _ url: URL, backend: String, allowsTokens: Bool
    ) async throws -> (PendingFlow, InsForgeCallback) {
        let flows = try await waiting().reversed().filter { $0.backend.hasBytes(of: backend) }.sorted { first, second in
            let (isFirst, isSecond) = (first.redirectURI.query != nil, second.redirectURI.query != nil)
            return isFirst != isSecond ? isFirst : first.startedAt > second.startedAt
        }
        var mistake: (any Error)?
        for flow in flows {
            do {
                let callback = try InsForgeCallback(url, redirectURI: flow.redirectURI, allowsTokens: allowsTokens)
                if flow.expects(callback) { return (flow, callback) }
            } catch {
                if mistake == nil { mistake = error }
            }
        }
        throw mistake ?? InsForgeAuthError.invalidCallback("it belongs to nothing that was started here.")
    }
}
