import Foundation
import IdentityKit

/// `POST /device-authorization` (RFC 8628 section 3.1)
struct OpenIDDeviceAuthorization: OpenIDEndpoint {
    func respond(to call: OpenIDCall) throws -> LocalResponse {
        let client = try call.authenticatedClient()
        guard client.grantTypes.contains(.deviceCode) else {
            throw OpenIDFailure.oauth("unauthorized_client", "The client may not use device codes")
        }
        let configuration = call.backend.configuration
        let codes = call.backend.devices.add(clientID: client.id, scopes: try call.requestedScopes())
        let page = call.backend.baseURL + OpenIDEndpoints.device
        return .json(
            [
                "device_code": .string(codes.deviceCode), "user_code": .string(codes.userCode),
                "verification_uri": .string(page),
                "verification_uri_complete": .string("\(page)?user_code=\(codes.userCode)"),
                "expires_in": call.deviceTime(configuration.deviceCodeLifetime),
                "interval": call.deviceTime(configuration.deviceInterval),
            ], headers: [("Cache-Control", "no-store")])
    }
}

/// `GET /device`: the page somebody opens on another machine.
struct OpenIDDeviceForm: OpenIDEndpoint {
    func respond(to call: OpenIDCall) throws -> LocalResponse {
        call.devicePage(userCode: call.request.queryValue("user_code") ?? "")
    }
}

extension OpenIDCall {
    fileprivate func deviceTime(_ time: Duration) -> JSONValue {
        let seconds = Int64(time.timeInterval)
        return behaviour.has(.deviceTimesAsText) ? .string(String(seconds)) : .integer(seconds)
    }

    fileprivate func devicePage(
        userCode: String, username: String = "", problem: OpenIDPage.DeviceProblem? = nil
    ) -> LocalResponse {
        let client = backend.devices.clientID(userCode: userCode).flatMap(backend.client)
        return OpenIDPage.device(
            action: backend.baseURL + OpenIDEndpoints.device, userCode: userCode, client: client?.name,
            username: username, problem: problem
        ).response()
    }
}

/// `POST /device`: its form.
struct OpenIDDeviceDecision: OpenIDEndpoint {
    func respond(to call: OpenIDCall) throws -> LocalResponse {
        guard call.request.isFromOwnPage else { return HTMLPage.foreignForm(site: OpenIDPage.site) }
        let code = call.field("user_code") ?? ""
        let username = call.field("username") ?? ""
        func again(_ problem: OpenIDPage.DeviceProblem) -> LocalResponse {
            call.devicePage(userCode: code, username: username, problem: problem)
        }
        let user = call.backend.authenticate(username: username, password: call.field("password") ?? "")
        guard let user else { return again(.wrongCredentials) }
        let isAllowed = call.field("decision") == "allow"
        let decision = OpenIDDevices.Decision.granted(userID: user.id, at: call.backend.time.now)
        guard call.backend.devices.decide(isAllowed ? decision : .denied, userCode: code) else {
            return again(.unknownCode)
        }
        let title = isAllowed ? "The device is connected" : "The device was turned away"
        return OpenIDPage.message(title, "You can close this page.").response()
    }
}

/// `urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 section 3.4)
struct OpenIDDeviceGrant: OpenIDGrantHandler {
    func tokens(
        for client: LocalOpenIDConnectServer.Client, key: String?, _ call: OpenIDCall
    ) throws -> OpenIDTokens {
        switch call.backend.devices.ask(try call.requiredField("device_code"), clientID: client.id) {
        case .granted(let userID, let date, let scopes):
            let grant = OpenIDGrant(
                id: LocalIdentifiers.hex(byteCount: 12), clientID: client.id, subject: userID, scopes: scopes,
                authenticatedAt: date, nonce: nil, keyThumbprint: key)
            return OpenIDTokens(grant: grant, refresh: client.grantTypes.contains(.refreshToken) ? .first : .none)
        case .pending:
            throw OpenIDFailure.oauth("authorization_pending", "Nobody has decided yet")
        case .slowDown:
            call.backend.counters.withLock { $0.slowDowns += 1 }
            throw OpenIDFailure.oauth("slow_down", "The device asks too often")
        case .denied:
            throw OpenIDFailure.oauth("access_denied", "The person refused")
        case .expired:
            throw OpenIDFailure.oauth("expired_token", "The device code is too old")
        case .unknown:
            throw OpenIDFailure.oauth("invalid_grant", "The device code is unknown")
        }
    }
}
