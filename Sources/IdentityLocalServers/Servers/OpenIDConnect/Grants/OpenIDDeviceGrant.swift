import Foundation
import IdentityKit

extension OpenIDCall {
    /// `POST /device-authorization`: issues a device code and a user code (RFC 8628 section 3.1).
    func authorizeDevice() throws -> LocalResponse {
        let client = try authenticatedClient()
        guard client.grantTypes.contains(.deviceCode) else {
            throw OpenIDServerError.oauth("unauthorized_client", "The client may not use device codes")
        }
        let configuration = backend.configuration
        let codes = backend.devices.add(
            clientID: client.id, scopes: try requestedScopes(), resources: requestedResources)
        let page = backend.baseURL + OpenIDEndpoints.device
        return .json(
            [
                "device_code": .string(codes.deviceCode), "user_code": .string(codes.userCode),
                "verification_uri": .string(page),
                "verification_uri_complete": .string("\(page)?user_code=\(codes.userCode)"),
                "expires_in": deviceTime(configuration.deviceCodeLifetime),
                "interval": deviceTime(configuration.deviceInterval),
            ], headers: [("Cache-Control", "no-store")])
    }

    func deviceForm() throws -> LocalResponse { devicePage(userCode: request.queryValue("user_code") ?? "") }

    private func deviceTime(_ time: Duration) -> JSONValue {
        let seconds = Int64(time.timeInterval)
        return behaviour.has(.deviceTimesAsText) ? .string(String(seconds)) : .integer(seconds)
    }

    private func devicePage(
        userCode: String, username: String = "", problem: OpenIDPage.DeviceProblem? = nil
    ) -> LocalResponse {
        let client = backend.devices.clientID(userCode: userCode).flatMap(backend.client)
        return OpenIDPage.device(
            action: backend.baseURL + OpenIDEndpoints.device, userCode: userCode, client: client?.name,
            username: username, problem: problem, people: backend.choosablePeople(for: request)
        ).response()
    }

    /// `POST /device`: handles the form of the device page, with which a person allows or denies a device's request.
    func decideOnDevice() throws -> LocalResponse {
        guard request.isFromOwnPage else { return HTMLPage.foreignForm(site: OpenIDPage.site) }
        let code = field("user_code") ?? ""
        let username = field("username") ?? ""
        func again(_ problem: OpenIDPage.DeviceProblem) -> LocalResponse {
            devicePage(userCode: code, username: username, problem: problem)
        }
        guard let user = personOfForm() else { return again(.wrongCredentials) }
        let isAllowed = field("decision") == "allow"
        let decision = OpenIDDevices.Decision.granted(.init(userID: user.id, date: backend.time.now))
        guard backend.devices.decide(isAllowed ? decision : .denied, userCode: code) else {
            return again(.unknownCode)
        }
        let title = isAllowed ? "The device is connected" : "The device was turned away"
        return OpenIDPage.message(title, "You can close this page.").response()
    }

    /// `urn:ietf:params:oauth:grant-type:device_code`: exchanges a device code for tokens, once a person has allowed the
    /// device's request (RFC 8628 section 3.4).
    func deviceGrant(of client: LocalOpenIDConnectServer.Client, key: String?) throws -> OpenIDTokens {
        // Check the resource first, so that a refused request does not spend the code.
        let audience = try namedResource(of: nil)
        switch backend.devices.ask(try requiredField("device_code"), clientID: client.id) {
        case .granted(let device, let approval):
            let grant = OpenIDGrant(
                id: LocalIdentifiers.hex(byteCount: 12), clientID: client.id, subject: approval.userID,
                scopes: device.scopes, authenticatedAt: approval.date, nonce: nil, resources: device.resources,
                keyThumbprint: key)
            return OpenIDTokens(
                grant: grant, refresh: client.grantTypes.contains(.refreshToken) ? .first : .none, audience: audience)
        case .pending:
            throw OpenIDServerError.oauth("authorization_pending", "The user has not decided yet")
        case .slowDown:
            backend.counters.withLock { $0.slowDowns += 1 }
            throw OpenIDServerError.oauth("slow_down", "The device polls too often")
        case .denied, .failed:
            throw OpenIDServerError.oauth("access_denied", "The person refused")
        case .expired:
            throw OpenIDServerError.oauth("expired_token", "The device code is too old")
        case .unknown:
            throw OpenIDServerError.oauth("invalid_grant", "The device code is unknown")
        }
    }
}
