extension OAuthError {
    /// Advice about the setting that may make the response to a refresh readable; `nil` if no setting would help, or the
    /// message of this error names the setting already.
    var adviceOnReading: String? {
        guard case .invalidResponse(let reason, _) = self else { return nil }
        return switch reason {
        case .malformedJSON, .wrongContentType, .unexpectedStatus:
            "If the server writes forms, set tokenResponse.encoding to form."
        case .malformedForm: "If the server writes JSON, leave tokenResponse.encoding out."
        case .missingMember(let name) where name != "token_type":
            "Set tokenResponse.names, or tokenResponse.memberPath, to where the server has the access token."
        case .invalidMember: "Set tokenResponse.names if the token is under another name."
        default: nil
        }
    }
}
