import Foundation
import IdentityKit
import IdentityOAuth

/// The flows that wait for their callback, stored so that they survive a restart of the app.
typealias PendingFlows = PendingFlowStore<PendingFlow>

extension PendingFlowStore<PendingFlow> {
    /// Returns the flow at `backend` to which the callback `url` belongs, and the parsed callback. If several flows
    /// fit, a flow whose redirect URI has a query is preferred to one without, and then a newer flow to an older one.
    /// - Parameter allowsTokens: whether the callback may contain an access token.
    /// - Throws: ``InsForgeAuthError/invalidCallback(_:)`` if no flow fits, or ``/IdentityCore/TokenStoreError``.
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
        throw reasonOfEnd(url, backend: backend) ?? mistake
            ?? InsForgeAuthError.invalidCallback("it belongs to nothing that was started here.")
    }

    /// Returns the reason why the flow of the callback `url` has ended; `nil` if no flow that ended in this process fits.
    private func reasonOfEnd(_ url: URL, backend: String) -> InsForgeAuthError? {
        let ending = endings.first { flow, _ in
            let callback = try? InsForgeCallback(url, redirectURI: flow.redirectURI)
            return flow.backend.hasBytes(of: backend) && callback.map(flow.expects) == true
        }
        return ending.map { .invalidCallback($0.reason) }
    }
}
