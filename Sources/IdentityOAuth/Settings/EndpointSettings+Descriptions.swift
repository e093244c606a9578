import IdentityKit

extension EndpointSettings: DescribedSettings {
    package static let descriptions = [
        endpoint("authorization_endpoint", "Where people sign in with the browser.", "authorize"),
        endpoint("token_endpoint", "Where tokens are exchanged and refreshed.", "token"),
        endpoint("device_authorization_endpoint", "Where a sign-in on another device begins.", "device"),
        endpoint("end_session_endpoint", "Where the browser signs out.", "logout"),
        endpoint("introspection_endpoint", "Where the server says what a token is.", "introspect"),
        endpoint("jwks_uri", "Where the server's public keys are.", "keys"),
        endpoint("pushed_authorization_request_endpoint", "Where authorization requests are pushed.", "par"),
        endpoint("registration_endpoint", "Where clients register themselves.", "register"),
        endpoint("revocation_endpoint", "Where a sign-out revokes tokens.", "revoke"),
        endpoint("userinfo_endpoint", "Where the server says who has signed in.", "userinfo"),
    ]

    private static func endpoint(_ name: String, _ meaning: String, _ path: String) -> SettingDescription {
        SettingDescription(name, meaning, example: .string("https://id.example.com/\(path)"))
    }
}
