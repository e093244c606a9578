import Foundation
import IdentityKit

extension Route<InsForgeCall> {
    /// Creates a route. If the server enforces limits, each IP address may send only as many requests as `bucket`
    /// allows. In the bucket `codes`, only failed requests count.
    init(_ method: String, _ path: String, limit bucket: InsForgeRateLimits.Bucket, _ endpoint: @escaping Endpoint) {
        self.init(method, path) { call in { try call.limited(bucket, endpoint(call)) } }
    }
}

extension InsForgeCall {
    /// Returns the response of `endpoint`, or an error response if a limit is exceeded. If the server enforces limits,
    /// every response has headers about the limit of `bucket`.
    func limited(_ bucket: InsForgeRateLimits.Bucket, _ endpoint: () throws -> LocalResponse) throws -> LocalResponse {
        guard backend.rules.enforcesRateLimits else { return try endpoint() }
        let address = remoteAddress
        let admission = backend.limits.enter(bucket, from: address)
        let response: LocalResponse
        do {
            guard admission.isAdmitted else { throw InsForgeServerError.tooManyRequests(bucket.message) }
            // Start the waiting time of the e-mail address before the endpoint checks the fields, so that an invalid request
            // starts it, too.
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

    /// The client's IP address for a server behind two trusted proxies: the second address from the right in `X-Forwarded-For`.
    /// If the header has only one address, the property is that address. Without the header, it is 127.0.0.1.
    private var remoteAddress: String {
        let forwarded = (request.header("X-Forwarded-For") ?? "").split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let addresses = ["127.0.0.1"] + forwarded.reversed()
        return addresses[min(2, addresses.count - 1)]
    }
}
