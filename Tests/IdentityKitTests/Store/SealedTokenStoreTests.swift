import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import TestSupport
import Testing

@Suite struct SealedTokenStoreTests {
    private let base = MemoryTokenStore()
    private let temporary: TemporaryFolder
    private let key = StoreKey(.accounts, "work/ada")
    private let secret = Data("a secret of some length".utf8)

    init() throws {
        temporary = try TemporaryFolder()
    }

    private var keyPath: String { temporary.file("keys/store.key").path }

    private func sealed() -> SealedTokenStore {
        SealedTokenStore(base, storeID: "store", key: KeyFile(path: keyPath))
    }

    @Test("The base sees neither the content nor the key")
    func secrecy() async throws {
        try await sealed().write(secret, for: key, replacing: 0)
        let stored = try #require(try await base.record(for: key)?.content)
        #expect(stored.range(of: secret) == nil)
        let keyText = try String(contentsOfFile: keyPath, encoding: .utf8)
        for record in try await base.records(in: .device).records {
            #expect(record.content?.range(of: Data(keyText.utf8)) == nil)
        }
        #expect(try FileStoreFixture.mode(of: URL(fileURLWithPath: keyPath)) == 0o600)
        #expect(try await sealed().record(for: key)?.content == secret)
    }

    @Test("A content with any bit flipped is corrupt, unsealed, or under another key, and never an absence")
    func flipped() async throws {
        let store = sealed()
        try await store.write(secret, for: key, replacing: 0)
        let stored = try #require(try await base.record(for: key)?.content)
        for index in stored.indices {
            var damaged = stored
            damaged[index] ^= 1
            let generation = try await base.record(for: key)?.generation ?? 0
            try await base.write(damaged, for: key, replacing: generation)
            let code = await FileStoreFixture.failureCode { try await store.record(for: key) }
            let codes = ["store_corrupt", "store_insecure", "store_sealed_with_other_key"]
            #expect(codes.contains(code ?? ""), "byte \(index)")
        }
    }

    @Test("A sealed content does not open in another record or another generation")
    func bound() async throws {
        let store = sealed()
        try await store.write(secret, for: key, replacing: 0)
        let stored = try await base.record(for: key)?.content
        let other = StoreKey(.accounts, "work/bob")
        try await base.write(stored, for: other, replacing: 0)
        try await base.write(stored, for: key, replacing: 1)
        for key in [key, other] {
            #expect(await FileStoreFixture.failureCode { try await store.record(for: key) } == "store_corrupt")
        }
    }

    @Test("An unsealed content is refused")
    func downgradedRecord() async throws {
        let store = sealed()
        try await store.write(secret, for: key, replacing: 0)
        try await base.write(secret, for: key, replacing: 1)
        #expect(await FileStoreFixture.failureCode { try await store.record(for: key) } == "store_insecure")
        #expect(try await store.records(in: .accounts).failures.map(\.failureCode) == ["store_insecure"])
    }

    @Test("A lost or foreign key is an error, and no new one is made over it")
    func lostKey() async throws {
        try await sealed().write(secret, for: key, replacing: 0)
        try FileManager.default.removeItem(atPath: keyPath)
        for _ in 0..<2 {
            #expect(
                await FileStoreFixture.failureCode { try await sealed().record(for: key) } == "store_key_unavailable")
            #expect(!FileManager.default.fileExists(atPath: keyPath))
        }
        let foreign = try DataKey().text.reveal()
        #expect(
            FileManager.default.createFile(
                atPath: keyPath, contents: Data(foreign.utf8), attributes: [.posixPermissions: 0o600]))
        #expect(await FileStoreFixture.failureCode { try await sealed().record(for: key) } == "store_key_unavailable")
        #expect(
            await FileStoreFixture.failureCode { try await sealed().records(in: .accounts) }
                == "store_key_unavailable")
    }

    @Test("Without the key one can still sign out")
    func eraseWithoutKey() async throws {
        try await sealed().write(secret, for: key, replacing: 0)
        try FileManager.default.removeItem(atPath: keyPath)
        #expect(try await sealed().write(nil, for: key, replacing: 1).generation == 2)
        #expect(try await sealed().record(for: key) == StoreRecord(key: key, generation: 2, content: nil))
    }

    @Test("Many who open a new store at once agree on one key")
    func oneKey() async throws {
        let stores = (0..<8).map { _ in sealed() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, store) in stores.enumerated() {
                group.addTask {
                    try await store.write(Data("\(index)".utf8), for: StoreKey(.accounts, "\(index)"), replacing: 0)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await sealed().records(in: .accounts).records.count == 8)
    }

    @Test("A new store does not wait for ever for a process that does not come to make its key", .endsInTime)
    func busy() async throws {
        let lease = try #require(try await base.lease(for: StoreKey(.device, "data-key")))
        let store = SealedTokenStore(
            base, storeID: "store", key: KeyFile(path: keyPath), time: TimeSource(now: { Date() }, sleep: { _ in }))
        #expect(
            await FileStoreFixture.failureCode { try await store.write(secret, for: key, replacing: 0) }
                == "store_busy")
        await lease.release()
        try await store.write(secret, for: key, replacing: 0)
        #expect(try await store.record(for: key)?.content == secret)
    }

    @Test("The home is asked once, however many tasks need the key at the same time")
    func oneQuestion() async throws {
        let home = CountingHome(base: KeyFile(path: keyPath))
        let store = base.sealed(storeID: "store", key: home)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                group.addTask { try await store.write(Data(), for: StoreKey(.accounts, "\(index)"), replacing: 0) }
            }
            try await group.waitForAll()
        }
        #expect(home.questions.withLock { $0 } == 1)
    }

    /// Counts how often the key is asked for.
    private struct CountingHome: DataKeyHome {
        let base: KeyFile
        let questions = Locked(0)
        var name: String { base.name }

        func keys(forStore storeID: String) async throws -> [DataKey] {
            questions.withLock { $0 += 1 }
            await Task.yield()
            return try base.keys(forStore: storeID)
        }

        func makeKey(forStore storeID: String) async throws -> DataKey { try await base.makeKey(forStore: storeID) }
    }

    @Test("A record whose seal is broken can be set aside")
    func quarantine() async throws {
        let store = sealed()
        try await store.write(secret, for: key, replacing: 0)
        let stored = try #require(try await base.record(for: key)?.content)
        try await base.write(stored, for: key, replacing: 1)
        try await store.quarantine(key)
        #expect(try await store.record(for: key) == StoreRecord(key: key, generation: 3, content: nil))
        let aside = StoreKey(.quarantine, "\(key.collection.rawValue)/\(key.name)")
        #expect(try await base.record(for: aside)?.content == stored)
    }

    @Test("A record that another process writes in place of a broken one stays", arguments: [true, false])
    func replacedMeanwhile(afterRead: Bool) async throws {
        let (other, key, isDue) = (sealed(), key, Locked(true))
        try await other.write(secret, for: key, replacing: 0)
        let stored = try #require(try await base.record(for: key)?.content)
        try await base.write(stored, for: key, replacing: 1)
        let replace: @Sendable (StoreKey) async throws -> Void = { used in
            guard used == key, isDue.exchange(false) else { return }
            try await other.update(key, settingDamagedAside: true) { _ in .replace(Data("newer".utf8)) }
        }
        let hooked =
            afterRead
            ? HookedStore(base: base, afterRead: { if $0 == key.collection { try await replace(key) } })
            : HookedStore(base: base, beforeWrite: replace)
        let store = SealedTokenStore(hooked, storeID: "store", key: KeyFile(path: keyPath))
        try await store.quarantine(key)
        #expect(try await store.record(for: key)?.content == Data("newer".utf8))
    }

    @Test("A key prints as nothing")
    func redaction() throws {
        let dataKey = try DataKey()
        var dumped = ""
        dump(dataKey, to: &dumped)
        for text in ["\(dataKey)", String(reflecting: dataKey), dumped] {
            #expect(!text.contains(dataKey.text.reveal()))
            #expect(text.contains("<redacted>"))
        }
    }

    @Test("A key file others can read is refused")
    func openKeyFile() async throws {
        try await sealed().write(secret, for: key, replacing: 0)
        try FileStoreFixture.setMode(0o640, of: URL(fileURLWithPath: keyPath))
        #expect(await FileStoreFixture.failureCode { try await sealed().record(for: key) } == "store_insecure")
    }

    @Test("A key file may be a link, as a secret that Kubernetes mounts; the file behind it is checked as any other")
    func linkedKeyFile() async throws {
        try await sealed().write(secret, for: key, replacing: 0)
        let files = FileManager.default
        let target = temporary.file("secret/..1/key")
        try files.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try files.moveItem(atPath: keyPath, toPath: target.path)
        try FileStoreFixture.setMode(0o400, of: target)
        try files.createSymbolicLink(atPath: temporary.file("secret/..data").path, withDestinationPath: "..1")
        try files.createSymbolicLink(atPath: keyPath, withDestinationPath: "../secret/..data/key")
        #expect(try await sealed().record(for: key)?.content == secret)

        try FileStoreFixture.setMode(0o440, of: target)
        #expect(await FileStoreFixture.failureCode { try await sealed().record(for: key) } == "store_insecure")
        try files.removeItem(at: target)
        #expect(await FileStoreFixture.failureCode { try await sealed().record(for: key) } == "store_key_unavailable")
    }

    #if os(Linux)
    /// A keyring that is a shell script, so that each of its moods can be had.
    private func keyring(_ script: String) throws -> SecretServiceKey {
        let tool = temporary.file("secret-tool-\(UUID().uuidString)")
        try Script.write("#!/bin/sh\n\(script)\n", to: tool)
        return SecretServiceKey(tool: tool.path, deadline: Patience.limit)
    }

    @Test("The desktop's keyring keeps the key")
    func keyring() async throws {
        let file = temporary.file("entry").path
        let home = try keyring("if [ $1 = store ]; then cat > '\(file)'; else cat '\(file)' 2>/dev/null; fi")
        #expect(try await home.key(forStore: "store") == nil)
        let made = try await home.makeKey(forStore: "store")
        #expect(try await home.key(forStore: "store") == made)
        let store = SealedTokenStore(base, storeID: "store", key: home)
        try await store.write(secret, for: key, replacing: 0)
        #expect(try await store.record(for: key)?.content == secret)
        // KeePassXC has no entries while it is locked.
        try FileManager.default.removeItem(atPath: file)
        let locked = SealedTokenStore(base, storeID: "store", key: home)
        let error = await #expect(throws: TokenStoreError.self) { try await locked.record(for: key) }
        #expect(error?.message.contains("Unlock the keyring first") == true)
    }

    @Test(
        "A keyring that is locked, broken, missing or silent is an error, never a store without a key",
        arguments: ["echo 'Cannot autolaunch D-Bus' >&2; exit 1", "echo nonsense", "exit 127", "exec sleep 60"])
    func unavailableKeyring(script: String) async throws {
        let file = temporary.file("silent-\(UUID().uuidString)")
        try Script.write("#!/bin/sh\n\(script)\n", to: file)
        let home = SecretServiceKey(tool: file.path, deadline: .milliseconds(500))
        let store = SealedTokenStore(base, storeID: "store", key: home)
        #expect(
            await FileStoreFixture.failureCode { try await store.write(secret, for: key, replacing: 0) }
                == "store_key_unavailable")
        #expect(try await base.record(for: key) == nil)
    }

    /// Whether a process goes on; one that nobody has collected yet does not.
    private func isRunning(_ pid: String) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
        return !status.contains(") Z")
    }

    @Test("At the deadline a keyring's programs end with it, and one that it left behind keeps nobody waiting")
    func lastingPrograms() async throws {
        let (file, pids) = (temporary.file("lasting"), temporary.file("pids"))
        let script = """
            #!/bin/sh
            sleep 600 & echo $! >'\(pids.path)'
            setsid sleep 600 & echo $! >>'\(pids.path)'
            wait
            """
        try Script.write(script, to: file)
        var (started, deadline) = ([String](), Duration.seconds(3))
        // Beside busy programs the deadline may come before the numbers are written.
        while started.count < 2 {
            let home = SecretServiceKey(tool: file.path, deadline: deadline)
            #expect(await FileStoreFixture.failureCode { try await home.key(forStore: "s") } == "store_key_unavailable")
            let written = (try? String(contentsOf: pids, encoding: .utf8)) ?? ""
            started = written.split(separator: "\n").map(String.init)
            deadline *= 2
        }
        while isRunning(started[0]) { await Task.yield() }
        // It has left the group, and holds the output of the keyring's program.
        #expect(isRunning(started[1]))
        if let pid = Int32(started[1]) { kill(pid, SIGKILL) }
    }
    #endif
}
