import Foundation

/// Writes an `OIDAuthState` as `NSKeyedArchiver` does, as far as a session needs it.
struct AppAuthArchive {
    /// The encoded objects of the property list.
    private var objects: [[UInt8]] = []
    /// The numbers of the archived objects.
    private var archived: [Int] = []

    static func data(
        issuer: String, clientID: String, accessToken: String, refreshToken: String, idToken: String?, scope: String,
        expiresAt: Date
    ) -> Data {
        var archive = AppAuthArchive()
        archive.archived.append(archive.text("$null"))
        let configuration = archive.object(
            "OIDServiceConfiguration", ["issuer": archive.url(issuer), "tokenEndpoint": archive.url(issuer + "/token")])
        let request = archive.object(
            "OIDTokenRequest", ["configuration": configuration, "client_id": archive.uid(archive.text(clientID))])
        let date = archive.object("NSDate", ["NS.time": archive.real(expiresAt.timeIntervalSinceReferenceDate)])
        let refresh = archive.uid(archive.text(refreshToken))
        let response = archive.object(
            "OIDTokenResponse",
            [
                "request": request, "access_token": archive.uid(archive.text(accessToken)), "expires_in": date,
                "refresh_token": refresh, "token_type": archive.uid(archive.text("Bearer")),
                "id_token": idToken.map { archive.uid(archive.text($0)) } ?? archive.reference(0),
            ])
        let root = archive.object(
            "OIDAuthState",
            [
                "lastTokenResponse": response, "refreshToken": refresh, "scope": archive.uid(archive.text(scope)),
                "lastAuthorizationResponse": archive.reference(0),
            ])
        return archive.document(root)
    }

    private mutating func add(_ bytes: [UInt8]) -> Int {
        objects.append(bytes)
        return objects.count - 1
    }

    private mutating func text(_ text: String) -> Int {
        add([0x5F, 0x11] + Self.number(text.utf8.count) + Array(text.utf8))
    }

    private mutating func real(_ value: Double) -> Int {
        add([0x23] + withUnsafeBytes(of: value.bitPattern.bigEndian, Array.init))
    }

    private mutating func dictionary(_ members: [(String, Int)]) -> Int {
        let names = members.map { text($0.0) }
        return add([0xDF, 0x11] + Self.number(members.count) + (names + members.map(\.1)).flatMap(Self.number))
    }

    private mutating func list(_ numbers: [Int]) -> Int {
        add([0xAF, 0x11] + Self.number(numbers.count) + numbers.flatMap(Self.number))
    }

    /// A reference to an archived object.
    private mutating func reference(_ index: Int) -> Int { add([0x81] + Self.number(index)) }

    /// Archives an object, and refers to it.
    private mutating func uid(_ object: Int) -> Int {
        archived.append(object)
        return reference(archived.count - 1)
    }

    private mutating func object(_ name: String, _ members: [String: Int]) -> Int {
        let classes = list([text(name), text("NSObject")])
        let description = uid(dictionary([("$classname", text(name)), ("$classes", classes)]))
        return uid(dictionary(members.map { ($0, $1) } + [("$class", description)]))
    }

    private mutating func url(_ address: String) -> Int {
        object("NSURL", ["NS.base": reference(0), "NS.relative": uid(text(address))])
    }

    private mutating func document(_ root: Int) -> Data {
        let top = dictionary([
            ("$archiver", text("NSKeyedArchiver")), ("$top", dictionary([("root", root)])),
            ("$objects", list(archived)),
        ])
        var (bytes, offsets) = (Array("bplist00".utf8), [UInt8]())
        for object in objects {
            offsets += withUnsafeBytes(of: UInt32(bytes.count).bigEndian, Array.init)
            bytes += object
        }
        let trailer = [UInt64(objects.count), UInt64(top), UInt64(bytes.count)]
        bytes += offsets + [0, 0, 0, 0, 0, 0, 4, 2]
        return Data(bytes + trailer.flatMap { withUnsafeBytes(of: $0.bigEndian, Array.init) })
    }

    private static func number(_ value: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt16(value).bigEndian, Array.init)
    }
}
