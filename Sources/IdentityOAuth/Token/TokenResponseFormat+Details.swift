import IdentityKit

extension TokenResponseFormat {
    /// The greatest number of ``details``.
    static let mostDetails = 16
    /// The size of the longest text that is kept, in bytes of UTF-8. Longer ones are dropped.
    static let longestDetail = 1024
    /// The size of the longest path in ``details``, in bytes of UTF-8.
    private static let longestPath = 128

    /// Names of members with secrets, at any depth. They cannot be kept as details: a credential stores secrets
    /// elsewhere, and details are displayed.
    private static let secrets: Set = [
        "access_token", "accessToken", "refresh_token", "refreshToken", "id_token", "idToken", "device_secret",
        "deviceSecret",
    ]

    /// Whether ``details`` are within the limits, and none of them names a secret.
    var namesUsableDetails: Bool { details.count <= Self.mostDetails && details.allSatisfy(takes) }

    /// The values of ``details`` in a response: texts of moderate size, numbers and Booleans.
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
