import IdentityKit

extension TokenResponseFormat {
    /// The greatest number of ``details``. Further paths in the list are ignored.
    static let mostDetails = 16
    /// The size of the longest text that is kept as a detail, in bytes of UTF-8. Longer texts are dropped.
    static let longestDetail = 1024
    /// The size of the longest path in ``details``, in bytes of UTF-8.
    private static let longestPath = 128

    /// The names of members that contain secrets. A path with such a name is no usable detail, because details are displayed.
    private static let secrets: Set = [
        "access_token", "accessToken", "refresh_token", "refreshToken", "id_token", "idToken", "device_secret",
        "deviceSecret",
    ]

    /// Whether there are at most ``mostDetails`` paths in ``details``, none is too long or has an empty component, and none
    /// names a secret.
    var namesUsableDetails: Bool { details.count <= Self.mostDetails && details.allSatisfy(takes) }

    /// Returns the values of ``details`` in a response, by path. Only Booleans, numbers and texts of at most
    /// ``longestDetail`` bytes are kept.
    func details(in document: [String: JSONValue]) -> [String: JSONValue] {
        details.prefix(Self.mostDetails).reduce(into: [:]) { kept, path in
            guard takes(path), let value = JSONValue.object(document).value(at: path), value.isDetail else {
                return
            }
            kept[path] = value
        }
    }

    private func takes(_ path: String) -> Bool {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let secrets = Self.secrets.union(Self.secrets.compactMap { names[$0] })
        return path.utf8.count <= Self.longestPath && !parts.contains("") && secrets.isDisjoint(with: parts)
    }
}

extension JSONValue {
    fileprivate var isDetail: Bool {
        switch self {
        case .string(let text): text.utf8.count <= TokenResponseFormat.longestDetail
        case .integer, .number, .bool: true
        case .null, .array, .object: false
        }
    }
}
