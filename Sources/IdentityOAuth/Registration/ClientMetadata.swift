import Foundation
import IdentityKit

/// A client's description of itself when it registers (RFC 7591 section 2).
package struct ClientMetadata: Sendable, Hashable {
    /// The addresses to which the server may send authorization responses; empty for a sign-in on another device.
    package var redirectURIs: [URL]
    /// The client's name, which the server shows to people; `nil` to send none.
    package var name: String?
    /// The scopes that the client may ask for; empty to leave them to the server.
    package var scopes: [String] = []
    /// The grant types that the client uses. By default, they are those of a sign-in in a browser with refreshes.
    package var grantTypes: [GrantType] = [.authorizationCode, .refreshToken]
    /// The method of authentication; `none` by default, because an app on a person's device cannot keep a secret.
    package var authenticationMethod = ClientAuthenticationMethod.none
    /// Additional members, such as `contacts` or a `software_statement`. Names that this type sets are ignored.
    package var additionalMembers: [String: JSONValue] = [:]

    /// Creates the metadata of a client that uses the default grant types and does not authenticate.
    package init(redirectURIs: [URL], name: String? = nil) {
        self.redirectURIs = redirectURIs
        self.name = name
    }

    /// The display name or else the bundle name of the running app; for a program without them, the name of the process.
    static var nameOfThisApp: String {
        let information = Bundle.main.infoDictionary
        let name = information?["CFBundleDisplayName"] ?? information?["CFBundleName"]
        return name as? String ?? ProcessInfo.processInfo.processName
    }

    var members: [String: JSONValue] {
        var members = additionalMembers
        members["redirect_uris"] = .array(redirectURIs.map { .string($0.absoluteString) })
        members["client_name"] = name.map(JSONValue.string)
        members["scope"] = scopes.isEmpty ? nil : .string(scopes.joined(separator: " "))
        members["grant_types"] = .array(grantTypes.map { .string($0.rawValue) })
        members["response_types"] = grantTypes.contains(.authorizationCode) ? ["code"] : []
        members["token_endpoint_auth_method"] = .string(authenticationMethod.rawValue)
        // A `web` client may have neither loopback addresses nor custom schemes (OpenID Connect Dynamic Client
        // Registration section 2).
        let isWeb =
            !grantTypes.contains(.deviceCode)
            && redirectURIs.allSatisfy { $0.scheme?.lowercased() == "https" && !$0.isLoopback }
        members["application_type"] = isWeb ? "web" : "native"
        return members
    }
}

extension ClientMetadata {
    /// Returns the document that describes this client, for publication at `address`. The address is then the client's
    /// identifier (OAuth Client ID Metadata Document).
    package func document(at address: URL) -> [String: JSONValue] {
        var document = members
        document["client_id"] = .string(address.absoluteString)
        return document
    }
}

extension ClientMetadata: Reticent {
    /// Shows only the names of the additional members, and redirect URIs without their queries.
    package var shown: KeyValuePairs<String, Any> {
        [
            "redirectURIs": redirectURIs.map(\.addressAlone), "name": name as Any, "scopes": scopes,
            "grantTypes": grantTypes.map(\.rawValue), "authenticationMethod": authenticationMethod.rawValue,
            "additionalMembers": additionalMembers.namesAlone,
        ]
    }
}
