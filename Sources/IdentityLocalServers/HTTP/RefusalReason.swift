import Foundation
import IdentityKit

/// Reads the reason of a refusal from a response, for the logs that developers see.
///
/// The reason is the error and its description (RFC 6749 sections 4.1.2.1 and 5.2, RFC 6750 section 3, and the errors
/// of ThunderID and InsForge), the alert of an HTML page, or a plain text. An empty response with a challenge but no
/// error has the reason `authentication is required`. Nothing else in the response is read, so that no token or code
/// gets into the log.
enum RefusalReason {
    /// The greatest length of a reason in characters. Longer ones are cut off, so that the log stays small.
    private static let limit = 300

    /// The reason; `nil` if the response is not a refusal or gives no reason.
    static func text(of response: LocalResponse) -> String? {
        (response.reason ?? redirected(response) ?? challenged(response) ?? written(response))
            .map { String($0.prefix(limit)) }
    }

    /// Whether `reason` only asks a polling client to try again later (RFC 8628 section 3.5). A ``TokenJournal`` does not
    /// record such a response as a refusal.
    static func asksToPollAgain(_ reason: String?) -> Bool {
        ["authorization_pending", "slow_down"].contains { reason?.hasPrefix($0) == true }
    }

    /// The error in a redirect to the client.
    private static func redirected(_ response: LocalResponse) -> String? {
        guard (300..<400).contains(response.status), let location = header("Location", of: response),
            let parts = URLComponents(string: location)
        else { return nil }
        var items = parts.queryItems ?? []
        // With the response mode `fragment`, the parameters follow the number sign.
        if let fragment = parts.percentEncodedFragment {
            var other = URLComponents()
            other.percentEncodedQuery = fragment
            items += other.queryItems ?? []
        }
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        return joined(value("error"), value("error_description")?.replacingOccurrences(of: "+", with: " "))
    }

    private static func written(_ response: LocalResponse) -> String? {
        guard response.status >= 400 else { return nil }
        let type = header("Content-Type", of: response) ?? ""
        if type.hasPrefix("text/plain") {
            return String(decoding: response.body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard type.contains("json"), let body = try? JSONDecoder().decode(JSONValue.self, from: response.body) else {
            return nil
        }
        let code = body["error"]?.stringValue ?? body["code"]?.stringValue
        let words = ["error_description", "description", "message"].lazy.compactMap { body[$0] }.first
        return joined(code, words?.stringValue ?? words?["defaultValue"]?.stringValue)
    }

    private static func challenged(_ response: LocalResponse) -> String? {
        guard response.status == 401 || response.status == 403, response.body.isEmpty,
            let challenge = header("WWW-Authenticate", of: response)
        else { return nil }
        func parameter(_ name: String) -> String? {
            let pieces = challenge.components(separatedBy: "\(name)=\"")
            return pieces.count > 1 ? String(pieces[1].prefix { $0 != "\"" }) : nil
        }
        return joined(parameter("error"), parameter("error_description")) ?? "authentication is required"
    }

    private static func joined(_ code: String?, _ description: String?) -> String? {
        let parts = [code.nonEmpty, description.nonEmpty].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ": ")
    }

    private static func header(_ name: String, of response: LocalResponse) -> String? {
        response.headers.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value
    }
}
