import Foundation
import IdentityKit

extension Route<InsForgeCall> {
    /// Limits the requests of a client address, where the server enforces limits. Of code attempts only failed ones count.
    init(_ method: String, _ path: String, limit bucket: InsForgeRateLimits.Bucket, _ endpoint: @escaping Endpoint) {
        self.init(method, path) { call in { try call.limited(bucket, endpoint(call)) } }
    }
}

extension InsForgeCall {
    /// The response of `endpoint`, or an error response if the limit is reached.
    func limited(_ bucket: InsForgeRateLimits.Bucket, _ endpoint: () throws -> LocalResponse) throws -> LocalResponse {
        guard backend.rules.enforcesRateLimits else { return try endpoint() }
        let address = remoteAddress
        let admission = backend.limits.enter(bucket, from: address)
        let response: LocalResponse
        do {
            guard admission.isAdmitted else { throw InsForgeServerError.tooManyRequests(bucket.message) }
            // Begin the address's pause before the other fields are checked, so that a malformed request begins it, too.
            if bucket == .mail, let email = Self.body(of: request)?["email"]?.stringValue {
                try backend.limits.coolDown(email)
            }
            response = try endpoint()
        } catch let failure as InsForgeServerError {
            response = backend.response(to: failure)
        }
        if bucket == .codes, response.status < 400 { backend.limits.forgive(bucket, from: address) }
        return admission.headers.reduce(response) { $0.with(header: $1.name, $1.value) }
    }

    /// The client's address according to `X-Forwarded-For`, as a server sees it that trusts two proxies.
    private var remoteAddress: String {
        let forwarded = (request.header("X-Forwarded-For") ?? "").split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let addresses = ["127.0.0.1"] + forwarded.reversed()
        return addresses[min(2, addresses.count - 1)]
    }
}
