import IdentityKit

extension TokenResponseFormat {
    /// How many members of a response are kept at most.
    static let mostDetails = 16
    /// The size of the longest text that is kept, in bytes of UTF-8.
    static let longestDetail = 1024
    /// The size of the longest path, in bytes of UTF-8.
    private static let longestPath = 128

    /// Members whose values are secrets, in whatever member they are: a stored credential has its own places for them, and
    /// what is kept as a detail is shown.
    private static let secrets: Set = [
        "access_token", "accessToken", "refresh_token", "refreshToken", "id_token", "idToken", "device_secret",
        "deviceSecret",
    ]

    /// Whether ``details`` are few enough, and each is the path of a member that is no secret.
    var namesUsableDetails: Bool { details.count <= Self.mostDetails && details.allSatisfy(takes) }

    /// The kept members of a response: those of its members ``details`` that are texts of moderate size, numbers, or
    /// true or false.
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
