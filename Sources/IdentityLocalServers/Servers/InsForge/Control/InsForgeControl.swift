import Foundation
import IdentityKit

/// Lets other processes control a local InsForge server. InsForge itself has no such control. The control has a port of
/// its own, so that no client under test can depend on it. Requests of web pages are refused, because any page could send
/// a form to this machine.
///
/// | Request | Effect |
/// |---|---|
/// | `POST /reset` | resets users, rules and clock, gives the signing key a new `kid`, and removes other data and faults |
/// | `PATCH /config` | changes the rules that the request's body names |
/// | `GET /outbox` | returns the mails, oldest first: `recipient`, `purpose`, and `code` or `link` |
/// | `POST /clock` | sets the clock forward by `seconds` |
/// | `POST /fail` | responds with `status` to the next `times` requests (by default 1) to paths that begin with `path` |
/// | `GET /tokens` | returns the issued tokens, oldest first: `kind`, `subject` and `token` |
struct InsForgeControl: Sendable {
    let server: LocalInsForgeServer

    func response(to request: LocalRequest) -> LocalResponse {
        guard request.isMeantForLoopback(port: server.controlURL?.port) else {
            return Self.refused("This address leads nowhere.", status: 421)
        }
        guard request.header("Origin") == nil, ["none", nil].contains(request.header("Sec-Fetch-Site")) else {
            return Self.refused("Pages are not allowed to do that.", status: 403)
        }
        switch (request.method, request.path) {
        case ("POST", "/reset"): return reset()
        case ("PATCH", "/config"): return reconfigure(request.json)
        case ("GET", "/outbox"): return .json(.array(server.outbox.map(Self.json)))
        case ("POST", "/clock"): return advance(request.json)
        case ("POST", "/fail"): return fail(request.json)
        case ("GET", "/tokens"): return .json(.array(server.issuedTokens.map(Self.json)))
        default: return Self.refused("There is no \(request.method) \(request.path) here.", status: 404)
        }
    }

    private func reset() -> LocalResponse {
        do {
            try server.reset()
            return Self.done
        } catch {
            return Self.refused(error.localizedDescription, status: 500)
        }
    }

    private func reconfigure(_ body: JSONValue?) -> LocalResponse {
        guard let members = body?.objectValue else { return Self.refused("The body must be an object.") }
        var changes: [(inout LocalInsForgeServer.Configuration) -> Void] = []
        for (name, value) in members {
            guard let change = Self.change(name, value) else {
                return Self.refused("\(name) is no rule, or its value is none.")
            }
            changes.append(change)
        }
        server.reconfigure { rules in
            for change in changes { change(&rules) }
        }
        return Self.done
    }

    private func advance(_ body: JSONValue?) -> LocalResponse {
        guard let seconds = body?["seconds"]?.numberValue, 0...1e9 ~= seconds else {
            return Self.refused("seconds must be a number from 0 to 1000000000.")
        }
        server.advanceClock(by: .seconds(seconds))
        return Self.done
    }

    private func fail(_ body: JSONValue?) -> LocalResponse {
        guard let path = body?["path"]?.stringValue, let status = body?["status"]?.integerValue,
            200...599 ~= status
        else { return Self.refused("path must be a text, status a number of 200 to 599.") }
        let times = min(1000, max(0, body?["times"]?.integerValue ?? 1))
        server.http.fail(
            .answer(InsForgeServerError(Int(status), "INTERNAL_ERROR", "Injected failure").response), pathPrefix: path,
            times: Int(times))
        return Self.done
    }

    private typealias Rules = LocalInsForgeServer.Configuration

    /// Setters for the rules with a Boolean value, by the names of the rules in `PATCH /config`. A name with the prefix
    /// `legacy.` refers to a property of `LegacyBehaviour`.
    private static let switches: [String: @Sendable (inout Rules, Bool) -> Void] = [
        "requireEmailVerification": { $0.requireEmailVerification = $1 },
        "disableSignup": { $0.disableSignup = $1 },
        "enforcesRateLimits": { $0.enforcesRateLimits = $1 },
        "legacy.refreshReadsSnakeCaseOnly": { $0.legacy.refreshReadsSnakeCaseOnly = $1 },
        "legacy.callbackCarriesTokens": { $0.legacy.callbackCarriesTokens = $1 },
        "legacy.signUpNeedsNoCredential": { $0.legacy.signUpNeedsNoCredential = $1 },
        "legacy.hasGeneralErrorCodes": { $0.legacy.hasGeneralErrorCodes = $1 },
        "legacy.omitsProviders": { $0.legacy.omitsProviders = $1 },
        "legacy.notFoundIsHTML": { $0.legacy.notFoundIsHTML = $1 },
        "legacy.servesHostedPage": { $0.legacy.servesHostedPage = $1 },
        "legacy.refreshTokensAreSingleUse": { $0.legacy.refreshTokensAreSingleUse = $1 },
    ]

    private static func change(_ name: String, _ value: JSONValue) -> ((inout Rules) -> Void)? {
        if let change = switches[name], let isOn = value.boolValue { return { change(&$0, isOn) } }
        switch name {
        case "verifyEmailMethod", "resetPasswordMethod":
            guard let method = value.stringValue.flatMap(LocalInsForgeServer.MailMethod.init(rawValue:)) else {
                return nil
            }
            return { rules in
                if name == "verifyEmailMethod" { rules.verifyEmailMethod = method }
                if name == "resetPasswordMethod" { rules.resetPasswordMethod = method }
            }
        case "allowedRedirectUrls":
            guard let entries = value.arrayValue?.map(\.stringValue), !entries.contains(nil) else { return nil }
            return { $0.allowedRedirectURLs = entries.compactMap { $0 } }
        case "passwordMinLength":
            guard let length = value.integerValue else { return nil }
            return { $0.passwordPolicy.passwordMinLength = Int(length) }
        default: return nil
        }
    }

    private static func json(_ mail: LocalInsForgeServer.Mail) -> JSONValue {
        [
            "recipient": .string(mail.recipient), "purpose": .string(mail.purpose.rawValue),
            "code": mail.code.map { .string($0) } ?? .null, "link": mail.link.map { .string($0) } ?? .null,
        ]
    }

    private static func json(_ token: LocalInsForgeServer.IssuedToken) -> JSONValue {
        [
            "kind": .string(token.kind.rawValue), "subject": .string(token.subject),
            "token": .string(token.token.reveal()),
        ]
    }

    private static let done = LocalResponse.json(["done": true])

    private static func refused(_ reason: String, status: Int = 400) -> LocalResponse {
        .json(["refused": .string(reason)], status: status)
    }
}
