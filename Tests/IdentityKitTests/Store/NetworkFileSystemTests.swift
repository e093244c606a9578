import IdentityKit
import IdentityStoreFormat
import Testing

@Suite struct NetworkFileSystemTests {
    @Test(
        "A folder on another machine is recognized by the table of mounts",
        arguments: [
            ("/home/ada/store", "nfs4"), ("/home/ada", "nfs4"), ("/home", nil), ("/home/adam/store", nil),
            ("/mnt/a share/x", "cifs"), ("/mnt/a\\tab\there/x", "9p"), ("/mnt/local/x", nil), ("/", nil),
        ] as [(String, String?)])
    func recognized(path: String, expected: String?) {
        let mounts = """
            /dev/sda1 / ext4 rw 0 0
            server:/export /home/ada nfs4 rw 0 0
            //server/share /mnt/a\\040share cifs rw 0 0
            host /mnt/a\\134tab\\011here 9p rw 0 0
            server:/x /mnt/local nfs rw 0 0
            /dev/sdb1 /mnt/local xfs rw 0 0
            """
        #expect(NetworkFileSystem.name(at: path, mounts: mounts.utf8) == expected)
    }

    #if os(Linux)
    @Test("A table whose size the kernel does not tell is read to its end")
    func whole() throws {
        // Like the table of mounts a file of the kernel, and for every process longer than what one call returns of it.
        let maps = try FileContent(ofAnybody: "/proc/self/maps").bytes
        #expect(maps.count > 4096 && maps.last == UInt8(ascii: "\n"))
        #expect(String(decoding: maps, as: UTF8.self).contains("[stack]\n"))
    }
    #endif
}
