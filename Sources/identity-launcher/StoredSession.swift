import IdentityStoreFormat

struct StoredSession {
    private(set) var accessToken = ""
    /// The granted scopes; empty for a backend without scopes.
    private(set) var scopes: [String] = []

    /// Whether the session contains members of the token response (`tokenResponse`). Only the full tool (``Tool``) prints
    /// these members.
    private(set) var hasDetails = false

    private var backend = ""
    private var providerType = ""
    private var clientID = ""
    private var tokenType = ""
    private var life = TokenLifetime(issuedAt: .distantFuture)

    /// Decrypts the session in the record of `shortcut`; `nil` if the session cannot be read, belongs to another
    /// backend, provider type or client, or has no usable bearer token.
    init?(at shortcut: TokenShortcut) {
        guard let file = try? FileContent(ofOwner: "\(shortcut.store)/\(shortcut.record)").bytes,
            let key = try? FileContent(ofOwner: shortcut.keyFile).bytes,
            let key = RecordSeal.key(fromText: String(decoding: key, as: UTF8.self)),
            let record = Self.record(in: file), let generation = record.generation,
            let content = record.content.flatMap({ Data(base64Encoded: $0) }),
            let session = try? RecordSeal(key: key).open(
                content,
                at: RecordSeal.Place(
                    collection: "accounts", name: shortcut.account, generation: generation)),
            (try? readSession(Array(session))) != nil, OAuthCharacters.vschar.makeUp(accessToken),
            isOrigin(of: shortcut),
            // Leave a token of another type to the full tool, which also prints a warning for a token that is bound to a
            // key.
            tokenType.lowercased() == "bearer"
        else { return nil }
    }

    private static func record(in file: [UInt8]) -> RecordDocument? {
        guard let start = RecordEnvelope.start(in: file) else { return nil }
        var reader = JSONReader(file, from: start)
        return try? RecordDocument(&reader)
    }

    /// Whether the session has the provider type, backend and client of `shortcut`, which the full tool has checked against
    /// the configuration. A program with another configuration may have replaced the session.
    private func isOrigin(of shortcut: TokenShortcut) -> Bool {
        backend.utf8.elementsEqual(shortcut.backend.utf8) && clientID.utf8.elementsEqual(shortcut.clientID.utf8)
            && providerType.utf8.elementsEqual(shortcut.providerType.utf8)
    }

    /// Returns how urgently the token has to be refreshed; `nil` when the session has ended.
    func urgency(at now: Date) -> TokenLifetime.Urgency? {
        life.hasEnded(at: now) ? nil : life.urgency(at: now)
    }

    /// Whether the token has not expired at `now`. A token of unknown expiry is valid.
    func isValid(at now: Date) -> Bool { life.isValid(at: now) }

    /// Expiry of the token; `nil` when it is unknown.
    var expiresAt: Date? { life.expiresAt }

    /// Parses `{"credential": {…}}`. The record of an ended session has other members, so ``accessToken`` stays empty and the
    /// initializer returns `nil`.
    private mutating func readSession(_ bytes: [UInt8]) throws(JSONReader.SyntaxError) {
        var reader = JSONReader(bytes)
        try reader.members { name, reader throws(JSONReader.SyntaxError) in
            if name == "credential" { try readCredential(&reader) } else { try reader.skip() }
        }
    }

    private mutating func readCredential(_ reader: inout JSONReader) throws(JSONReader.SyntaxError) {
        try reader.members { name, reader throws(JSONReader.SyntaxError) in
            switch name {
            case "accessToken": accessToken = try reader.string()
            case "tokenType": tokenType = try reader.string()
            case "backend": backend = try reader.string()
            case "providerType": providerType = try reader.string()
            case "clientID": clientID = try reader.string()
            case "issuedAt": life.issuedAt = Date(timeIntervalSinceReferenceDate: try reader.number().value)
            case "expiresAt": life.expiresAt = Date(timeIntervalSinceReferenceDate: try reader.number().value)
            case "sessionEndsAt": life.sessionEndsAt = Date(timeIntervalSinceReferenceDate: try reader.number().value)
            case "refreshToken":
                life.isRefreshable = true
                try reader.skip()
            case "pendingVerification", "refusedAt":
                life.isVerified = false
                try reader.skip()
            case "details":
                try reader.members { name, reader throws(JSONReader.SyntaxError) in
                    if name == "tokenResponse" { hasDetails = true }
                    try reader.skip()
                }
            case "scopes":
                try reader.elements { reader throws(JSONReader.SyntaxError) in scopes.append(try reader.string()) }
            default: try reader.skip()
            }
        }
    }
}
