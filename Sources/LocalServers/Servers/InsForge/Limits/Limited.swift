import Foundation
import IdentityKit

/// An endpoint behind a rate limit.
struct Limited: InsForgeEndpoint {
    let bucket: InsForgeRateLimits.Bucket
    let endpoint: any InsForgeEndpoint
    /// Whether a request counts at all.
    let applies: @Sendable (InsForgeCall) -> Bool

    init(
        _ bucket: InsForgeRateLimits.Bucket, _ endpoint: any InsForgeEndpoint,
        when applies: @escaping @Sendable (InsForgeCall) -> Bool = { _ in true }
    ) {
        self.bucket = bucket
        self.endpoint = endpoint
        self.applies = applies
    }

    func respond(to call: InsForgeCall) throws -> LocalResponse {
        guard call.backend.rules.enforcesRateLimits, applies(call) else { return try endpoint.respond(to: call) }
        let limits = call.backend.limits
        let address = call.remoteAddress
        let admission = limits.enter(bucket, from: address)
        let response: LocalResponse
        do {
            guard admission.isAdmitted else { throw InsForgeFailure.tooManyRequests(bucket.message) }
            // Before the body is looked at any closer, so that a malformed request counts, too.
            if bucket == .mail, let email = InsForgeRouter.body(of: call.request)?["email"]?.stringValue {
                try limits.coolDown(email)
            }
            response = try endpoint.respond(to: call)
        } catch let failure as InsForgeFailure {
            response = failure.response
        }
        if bucket == .codes, response.status < 400 { limits.forgive(bucket, from: address) }
        return admission.headers.reduce(response) { $0.with(header: $1.name, $1.value) }
    }
}

extension InsForgeCall {
    /// The client's address as a server behind two proxies sees it: so much of `X-Forwarded-For` is believed.
    var remoteAddress: String {
        let forwarded = (request.header("X-Forwarded-For") ?? "").split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let addresses = ["127.0.0.1"] + forwarded.reversed()
        return addresses[min(2, addresses.count - 1)]
    }
}
