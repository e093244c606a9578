extension StoreConfiguration {
    /// The configuration with relative paths resolved against `folder`, the folder of the configuration file. The
    /// result means the same store in every working directory.
    func anchored(in folder: String) -> StoreConfiguration {
        var anchored = self
        anchored.folder = folder
        guard var files else { return anchored }
        files.folder = Self.anchored(files.folder, in: folder)
        if case .keyFile(let path?) = files.key { files.key = .keyFile(path: Self.anchored(path, in: folder)) }
        anchored.settings = files.document
        return anchored
    }

    /// The settings of a file store; `nil` for other stores, and for invalid settings.
    package var files: FileStorePlugin.Settings? {
        type == FileStorePlugin.type ? try? decoded(as: FileStorePlugin.Settings.self) : nil
    }

    /// The first setting of a file store whose path is unusable, and the reason; `nil` when all paths are usable, for
    /// invalid settings, and for a store of another type.
    var flawOfPaths: (member: String, detail: String)? {
        guard let files else { return nil }
        var paths = [(member: "folder", path: files.folder)]
        if case .keyFile(let path?) = files.key { paths.append(("key.path", path)) }
        for (member, path) in paths {
            do throws(StorePathError) {
                // Assume a home folder, because the store may be opened in another environment. Opening the store reports
                // a missing home folder.
                _ = try StorePath.absolute(path, home: "/home")
            } catch {
                return (member, error.detail)
            }
        }
        return nil
    }

    /// The absolute form of a path in a configuration. `~` is the home folder of `context`.
    /// - Throws: ``/IdentityCore/TokenStoreError/unsupported(detail:)`` for every ``StorePathError``.
    static func path(_ written: String, in context: StoreContext) throws(TokenStoreError) -> String {
        do throws(StorePathError) {
            return try StorePath.absolute(written, home: context.home)
        } catch {
            throw .unsupported(detail: error.detail)
        }
    }

    /// Folder of a file store, or the target if the folder is a symbolic link; `nil` for other stores, and for invalid
    /// settings.
    /// - Throws: ``/IdentityCore/TokenStoreError`` for an unusable path or link.
    package func place(in context: StoreContext = StoreContext()) throws -> StorePlace? {
        try files?.place(in: context)
    }

    /// The folder and the key file of a file store that is encrypted with a key in a file; `nil` for other stores, and
    /// for invalid settings.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func filesSealedWithKeyFile(
        in context: StoreContext = StoreContext()
    ) throws -> (folder: String, keyFile: String)? {
        guard let files else { return nil }
        let place = try files.place(in: context)
        guard let keyFile = try KeyChoice(files.key, at: place, in: context).home as? KeyFile else { return nil }
        return (place.folder, keyFile.name)
    }

    private static func anchored(_ path: String, in folder: String) -> String {
        path.isEmpty || !StorePath.isRelative(path) ? path : StorePath.anchored(path, in: folder)
    }
}
