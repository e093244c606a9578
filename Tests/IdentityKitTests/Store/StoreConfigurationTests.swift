import Foundation
import IdentityKit
import Testing

@Suite struct StoreConfigurationTests {
    private let fixture: FileStoreFixture

    init() throws {
        fixture = try FileStoreFixture()
    }

    private func configuration(_ key: StoreConfiguration.Key = .automatic) -> StoreConfiguration {
        .file(folder: fixture.root.path, key: key)
    }

    @Test(
        "The home of the key is read from the document",
        arguments: [
            (#"{"type":"file","folder":"/s"}"#, .file(folder: "/s")),
            (#"{"type":"file","folder":"/s","key":{"home":"automatic"}}"#, .file(folder: "/s", key: .automatic)),
            (#"{"type":"file","folder":"/s","key":{"home":"keyFile"}}"#, .file(folder: "/s", key: .keyFile())),
            (
                #"{"type":"file","folder":"/s","key":{"home":"keyFile","path":"/k"}}"#,
                .file(folder: "/s", key: .keyFile(path: "/k"))
            ),
            (
                #"{"type":"file","folder":"/s","key":{"home":"secretService"}}"#,
                .file(folder: "/s", key: .secretService)
            ),
            (
                #"{"type":"file","folder":"/s","key":{"home":"keychain","accessGroup":"g"}}"#,
                .file(folder: "/s", key: .keychain(accessGroup: "g"))
            ),
            (
                #"{"type":"file","folder":"/s","key":{"home":"allowUnencryptedStorage"}}"#,
                .file(folder: "/s", key: .allowUnencryptedStorage)
            ),
            (
                #"{"type":"file","folder":"/s","allowsNetworkFileSystem":true}"#,
                .file(folder: "/s", allowsNetworkFileSystem: true)
            ),
            (#"{"type":"keychain"}"#, .keychain()),
            (
                #"{"type":"keychain","service":"com.example.app","accessGroup":"TEAM.shared"}"#,
                .keychain(service: "com.example.app", accessGroup: "TEAM.shared")
            ),
            (#"{"type":"memory"}"#, .memory),
        ] as [(String, StoreConfiguration)])
    func document(text: String, expected: StoreConfiguration) throws {
        let document = "{\"store\":\(text),\"providers\":[{\"name\":\"n\",\"type\":\"t\",\"settings\":{}}]}"
        let configuration = try IdentityConfiguration(parsing: Data(document.utf8))
        #expect(configuration.store == expected)
        let encoded = try JSONEncoder().encode(configuration)
        #expect(try IdentityConfiguration(parsing: encoded).store == expected)
    }

    @Test("Nothing is stored in the clear unless that is named")
    func sealedByDefault() async throws {
        let store = try configuration(.keyFile()).open()
        try await store.write(Data("the secret".utf8), for: fixture.key, replacing: 0)
        let bytes = try Data(contentsOf: fixture.recordFile)
        #expect(bytes.range(of: Data(Data("the secret".utf8).base64EncodedString().utf8)) == nil)
        #expect(FileManager.default.fileExists(atPath: fixture.root.path + ".key"))
    }

    @Test(
        "A store keeps its protection: no configuration lowers it",
        arguments: [StoreConfiguration.Key.allowUnencryptedStorage])
    func noDowngrade(key: StoreConfiguration.Key) async throws {
        let store = try configuration(.keyFile()).open()
        try await store.write(Data("a".utf8), for: fixture.key, replacing: 0)
        let error = #expect(throws: TokenStoreError.self) { try configuration(key).open() }
        #expect(error?.failureCode == "store_insecure")
        #expect(throws: TokenStoreError.self) { try fixture.open() }
        // Not naming a home opens it with the one it has.
        #expect(try await configuration().open().record(for: fixture.key)?.content == Data("a".utf8))
    }

    @Test("An unencrypted store is not opened without naming that")
    func unencryptedIsNamed() throws {
        _ = try configuration(.allowUnencryptedStorage).open()
        #expect(throws: TokenStoreError.self) { try configuration().open() }
        _ = try configuration(.allowUnencryptedStorage).open()
    }

    @Test("A folder that is sealed with a key of the program's own is opened with no other, and not without one")
    func ownKey() async throws {
        let text = try DataKey().text.reveal()
        let home = VariableKey(variable: "KEY") { _ in text }
        let store = try StoreConfiguration.openFiles(in: fixture.root.path, key: home)
        try await store.write(Data("a".utf8), for: fixture.key, replacing: 0)
        let again = try StoreConfiguration.openFiles(in: fixture.root.path, key: home)
        #expect(try await again.record(for: fixture.key)?.content == Data("a".utf8))
        for key in [.automatic, .keyFile(), .allowUnencryptedStorage] as [StoreConfiguration.Key] {
            let error = #expect(throws: TokenStoreError.self) { try configuration(key).open() }
            #expect(error?.failureCode == "store_insecure")
        }
    }

    @Test("A folder with a key file is the one that a configuration names")
    func keyFileInCode() async throws {
        let key = DataKey.home(inFile: fixture.temporary.file("the.key").path)
        let store = try StoreConfiguration.openFiles(in: fixture.root.path, key: key)
        try await store.write(Data("a".utf8), for: fixture.key, replacing: 0)
        let configured = try configuration(.keyFile(path: key.name)).open()
        #expect(try await configured.record(for: fixture.key)?.content == Data("a".utf8))
    }

    @Test("A key file inside the store is refused")
    func keyInside() {
        let path = fixture.root.appendingPathComponent("x/../the.key").path
        let error = #expect(throws: TokenStoreError.self) { try configuration(.keyFile(path: path)).open() }
        #expect(error?.failureCode == "store_insecure")
        let inCode = #expect(throws: TokenStoreError.self) {
            try StoreConfiguration.openFiles(in: fixture.root.path, key: DataKey.home(inFile: path))
        }
        #expect(inCode?.failureCode == "store_insecure")
    }

    #if os(Linux)
    @Test("A home this system does not have is an error")
    func noKeychain() {
        let error = #expect(throws: TokenStoreError.self) { try configuration(.keychain()).open() }
        #expect(error?.failureCode == "store_unsupported" && error?.failureClass == .definitive)
    }

    @Test("Where there is no Keychain, sessions go nowhere else unasked")
    func noKeychainStore() {
        let error = #expect(throws: TokenStoreError.self) {
            try StoreConfiguration.keychain(service: "com.example.app").open()
        }
        #expect(error?.failureCode == "store_unsupported" && error?.failureClass == .definitive)
        #expect(error?.message.contains("no Keychain") == true && error?.message.contains("\"file\"") == true)
    }
    #endif

    @Test("A Keychain service has a name")
    func namelessService() {
        let error = #expect(throws: TokenStoreError.self) { try StoreConfiguration.keychain(service: "").open() }
        #expect(error?.failureCode == "store_unsupported" && error?.message.contains("no name") == true)
    }

    @Test(
        "What a Keychain store does not know is named",
        arguments: [
            (#"{"type":"keychain","folder":"/s"}"#, "folder"), (#"{"type":"keychain","service":5}"#, "service"),
        ])
    func wrongDocument(text: String, named: String) {
        let document = "{\"store\":\(text),\"providers\":[{\"name\":\"n\",\"type\":\"t\",\"settings\":{}}]}"
        let error = #expect(throws: ConfigurationError.self) {
            try IdentityConfiguration(parsing: Data(document.utf8))
        }
        #expect(error?.message.contains(named) == true, "\(error?.message ?? "")")
    }
}
