import Foundation
import IdentityKit
import TestSupport
import Testing

@Suite struct IdentityConfigurationTests {
    private func parse(_ text: String) throws -> IdentityConfiguration {
        try IdentityConfiguration(parsing: Data(text.utf8))
    }

    @Test("A document gives its configuration, and what is written gives it again")
    func document() throws {
        let json = """
            {"store": {"type": "file", "folder": "/var/lib/example"},
             "providers": [{"name": "work", "type": "thunderid", "settings": {"clientID": "app", "limit": 3}}]}
            """
        let expected = IdentityConfiguration(
            store: .file(folder: "/var/lib/example"),
            providers: [
                ProviderConfiguration(name: "work", type: "thunderid", settings: ["clientID": "app", "limit": 3])
            ])
        #expect(try parse(json) == expected)
        #expect(try IdentityConfiguration(parsing: JSONEncoder().encode(expected)) == expected)
    }

    #if !canImport(Security)
    @Test("Without a store, sessions are in the state folder of the given variables, in a document and in code")
    func standardStore() throws {
        let document = Data(#"{"providers": [{"name": "a", "type": "t", "settings": {}}]}"#.utf8)
        func store(_ variables: [String: String]) throws -> StoreConfiguration {
            try IdentityConfiguration(parsing: document, variables: variables).store
        }
        #expect(try store([:]) == .file(folder: "~/.local/state/identity"))
        #expect(try store(["XDG_STATE_HOME": "/state"]) == .file(folder: "/state/identity"))
        #expect(try store(["XDG_STATE_HOME": "state"]) == .file(folder: "~/.local/state/identity"))
        #expect(
            try IdentityConfiguration(providers: []).store
                == JSONDecoder().decode(IdentityConfiguration.self, from: document).store)
    }

    @Test("Without a home folder there is no usual place, and the environment's own store is not asked for one")
    func homeless() throws {
        let configuration = try IdentityConfiguration(
            parsing: Data(#"{"providers": [{"name": "a", "type": "anonymous", "settings": {}}]}"#.utf8),
            variables: ["HOME": "/"])
        let error = #expect(throws: TokenStoreError.self) {
            try configuration.store.check(in: StoreContext(time: .system, variables: ["HOME": "/"]))
        }
        #expect(error?.failureCode == "store_unsupported" && error?.message.contains("Set HOME") == true)
        _ = try IdentityClient(
            configuration: configuration, registry: ProviderRegistry(ProviderRegistry.corePlugins),
            environment: IdentityEnvironment(store: MemoryTokenStore(), variables: ["HOME": "/"]))
    }
    #endif

    @Test("What happens at the end of a session is read, written where it is unusual, and used")
    func onSessionEnd() throws {
        let text = #""providers": [{"name": "a", "type": "static-token", "settings": {"token": "t"}}]"#
        #expect(try parse("{\(text)}").onSessionEnd == .ask)
        let configuration = try parse(#"{"onSessionEnd": "fallBack", \#(text)}"#)
        #expect(configuration.onSessionEnd == .fallBack)
        #expect(try IdentityConfiguration(parsing: JSONEncoder().encode(configuration)) == configuration)
        #expect(!String(decoding: try JSONEncoder().encode(parse("{\(text)}")), as: UTF8.self).contains("onSessionEnd"))
        let change = try ConfigurationChange(from: parse("{\(text)}"), to: configuration)
        #expect(change.onSessionEnd == .fallBack && !change.isEmpty)
        #expect(change.description == "at the end of a session: fallBack")
    }

    @Test(
        "A deadline that is negative, or longer than a day, is not acceptable",
        arguments: ["-5", "-0.001", "1e22", "1e300", "86401"])
    func deadline(number: String) {
        let settings = #""name": "a", "type": "static-token", "settings": {"token": "t"}"#
        #expect(
            throws: ConfigurationError.invalidValue(
                keyPath: "providers[0].silentDeadline", reason: "Write a number of seconds from 0 to 86400.")
        ) { try parse(#"{"providers": [{\#(settings), "silentDeadline": \#(number)}]}"#) }
        for number in ["0", "0.5", "86400"] {
            #expect(throws: Never.self) {
                try parse(#"{"providers": [{\#(settings), "silentDeadline": \#(number)}]}"#)
            }
        }
    }

    @Test(
        "A deadline that a program sets beyond any is written as the nearest one",
        arguments: [(nil, 86_400), (.seconds(Int64.max), 86_400), (.seconds(-5), 0)] as [(Duration?, Int)])
    func programmedDeadline(limit: Duration?, written: Int) throws {
        let configuration = IdentityConfiguration(
            store: .memory,
            providers: [
                ProviderConfiguration(
                    name: "a", type: "static-token", settings: ["token": "t"], silentDeadline: SilentDeadline(limit))
            ])
        let read = try IdentityConfiguration(parsing: JSONEncoder().encode(configuration))
        #expect(read.providers.first?.silentDeadline == SilentDeadline(.seconds(written)))
        let environment = IdentityEnvironment(store: MemoryTokenStore(), variables: [:])
        _ = try IdentityClient(
            configuration: configuration, registry: ProviderRegistry(ProviderRegistry.corePlugins),
            environment: environment)
    }

    @Test(
        "What is wrong is named with its key path",
        arguments: [
            (#"{}"#, ConfigurationError.missingKey(keyPath: "providers")),
            (#"{"providers": []}"#, .invalidValue(keyPath: "providers", reason: "Name at least one provider.")),
            (#"[]"#, .wrongType(keyPath: "The document", expected: "an object", found: "an array")),
            (
                #"{"onSessionEnd": "fallback", "providers": [{"name": "a", "type": "t", "settings": {}}]}"#,
                .invalidValue(
                    keyPath: "onSessionEnd",
                    reason: "It is \"fallback\". Did you mean \"fallBack\"? Accepted: ask, fallBack.")
            ),
            (#"{"providers": {}}"#, .wrongType(keyPath: "providers", expected: "an array", found: "an object")),
            (
                #"{"providers": [{"name": "a", "type": 1, "settings": {}}]}"#,
                .wrongType(keyPath: "providers[0].type", expected: "a string", found: "a number")
            ),
            (
                #"{"providers": [{"name": "a", "type": "t"}]}"#, .missingKey(keyPath: "providers[0].settings")
            ),
            (
                #"{"provider": [], "providers": [{"name": "a", "type": "t", "settings": {}}]}"#,
                .unknownKey(keyPath: "provider", known: ["onSessionEnd", "providers", "routesByDestination", "store"])
            ),
            (
                #"{"providers": [{"name": "a", "type": "t", "settings": {}, "setings": {}}]}"#,
                .unknownKey(
                    keyPath: "providers[0].setings",
                    known: [
                        "fallsBackWhenUnavailable", "name", "sendsTo", "settings", "silentDeadline", "type",
                        "whenTooSlow",
                    ])
            ),
            (#"{"store": {"folder": "/s"}, "providers": []}"#, .missingKey(keyPath: "store.type")),
            (#"{"store": {"type": "file"}, "providers": []}"#, .missingKey(keyPath: "store.folder")),
            (
                #"{"providers": [{"name": "a", "type": "t", "settings": {}}, {"name": "a", "type": "t", "settings": {}}]}"#,
                .invalidValue(
                    keyPath: "providers[1].name", reason: "\"a\" is used twice. Give each provider a name of its own.")
            ),
        ])
    func mistakes(text: String, error: ConfigurationError) {
        #expect(throws: error) { try parse(text) }
    }

    #if os(Linux)
    @Test("A file that others can write is refused with the command that repairs it", arguments: [0o620, 0o602, 0o664])
    func writable(mode: Int) throws {
        let folder = try TemporaryFolder()
        let file = folder.file("of ada.json")
        try Data(#"{"providers": [{"name": "a", "type": "t", "settings": {}}]}"#.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        let error = #expect(throws: ConfigurationError.self) { try IdentityConfiguration(contentsOf: file) }
        #expect(error?.failureCode == "configuration_file_insecure")
        #expect(error?.message.hasSuffix("run: chmod go-w '\(file.path)'") == true, "\(error?.message ?? "")")
        // A link does not hide it.
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        #expect(throws: ConfigurationError.self) { try IdentityConfiguration(contentsOf: link) }
        for mode in [0o644, 0o600, 0o444] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            #expect(try IdentityConfiguration(contentsOf: link).providers.count == 1)
        }
    }

    @Test("A file of another user is refused")
    func foreign() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("identity.json")
        try Data(#"{"providers": [{"name": "a", "type": "t", "settings": {}}]}"#.utf8).write(to: file)
        // Only the superuser can give a file away.
        guard chown(file.path, 12_345, 12_345) == 0 else { return }
        let error = #expect(throws: ConfigurationError.self) { try IdentityConfiguration(contentsOf: file) }
        #expect(error?.message.contains("it belongs to another user") == true)
        #expect(error?.message.contains("sudo chown") == true)
    }
    #endif

    @Test(
        "A provider has a name that its accounts, the variable of overrides and a line of text can show",
        arguments: ["", "-a", "a,b", " a", "a ", "a\nb", "a\u{1B}[2J"])
    func refusedNames(name: String) throws {
        let document: JSONValue = [
            "providers": [
                ["name": "good", "type": "t", "settings": [:]],
                ["name": .string(name), "type": "t", "settings": [:]],
            ]
        ]
        let error = #expect(throws: ConfigurationError.self) {
            try IdentityConfiguration(parsing: JSONEncoder().encode(document), variables: [:])
        }
        #expect(error?.message.contains("providers[1].name") == true, "\(error?.message ?? "")")
    }

    @Test(
        "Other names are good, and an account's identifier can be read back",
        arguments: ["a/b", "a%b", "a b", "Ä", "a-b"])
    func goodNames(name: String) throws {
        let document: JSONValue = ["providers": [["name": .string(name), "type": "t", "settings": [:]]]]
        let configuration = try IdentityConfiguration(parsing: JSONEncoder().encode(document), variables: [:])
        let account = AccountID(account: "ada", realm: configuration.providers[0].name)
        #expect(AccountID(id: account.id) == account)
    }

    @Test("A text that is no document says so", arguments: ["", "{", "<plist/>", "bplist00", "providers: []"])
    func noDocument(text: String) {
        let error = #expect(throws: ConfigurationError.self) { try parse(text) }
        #expect(error?.failureCode == "configuration_not_a_document")
    }

    @Test("A missing or unreadable file is named")
    func files() throws {
        let folder = try TemporaryFolder()
        let missing = folder.file("identity.json")
        #expect(throws: ConfigurationError.fileMissing(path: missing.path)) {
            try IdentityConfiguration(contentsOf: missing)
        }
        let error = #expect(throws: ConfigurationError.self) { try IdentityConfiguration(contentsOf: folder.url) }
        #expect(error == .fileUnreadable(path: folder.url.path, detail: "it is a folder."))
    }

    @Test("A program's own file is that of its bundle, whatever its folder has, and otherwise its folder's")
    func ofProgram() throws {
        let (other, app, folder) = (try TemporaryFolder(), try TemporaryFolder(), try TemporaryFolder())
        #expect(throws: ConfigurationError.fileMissing(path: folder.file("identity.json").path)) {
            try ofProgram(other, in: folder)
        }
        for (place, name) in [(folder, "folder"), (app, "app")] {
            try Data(#"{"providers": [{"name": "\#(name)", "type": "t", "settings": {}}]}"#.utf8)
                .write(to: place.file("identity.json"))
        }
        #expect(try ofProgram(other, in: folder).providers.map(\.name) == ["folder"])
        #expect(try ofProgram(app, in: folder).providers.map(\.name) == ["app"])
    }

    /// The configuration of a program in `app`, whose folder is `folder`. A bundle remembers the files that it had at first.
    private func ofProgram(_ app: TemporaryFolder, in folder: TemporaryFolder) throws -> IdentityConfiguration {
        try IdentityConfiguration.ofProgram(#require(Bundle(path: app.url.path)), in: folder.url.path)
    }
}
