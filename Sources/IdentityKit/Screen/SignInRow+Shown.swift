import Foundation

extension SignInRow: Reticent {
    /// Shows the addresses of links and pictures without user name, password, query and fragment.
    package var shown: KeyValuePairs<String, Any> {
        switch self {
        case .title(let text): ["title": text]
        case .text(let text): ["text": text]
        case .problem(let text): ["problem": text]
        case .picture(let url, let description):
            ["picture": url.addressAlone, "description": description as Any]
        case .link(let text, let url): ["link": text, "url": url.addressAlone]
        case .copy(let text, let label): ["copy": text, "label": label as Any]
        case .field(let field, let label, let value, let problem):
            ["field": field, "label": label, "value": value as Any, "problem": problem as Any]
        case .code(let code): ["code": code]
        case .button(let button): ["button": button]
        case .progress(let text): ["progress": text]
        }
    }
}
