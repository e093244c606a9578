extension StoreConfiguration {
    /// The configuration with relative paths resolved against `folder`, the folder of the configuration file. It then means
    /// the same store whatever the working directory is.
    func anchored(in folder: String) -> StoreConfiguration {
        if case .custom(var custom) = self {
            custom.folder = folder
            return .custom(custom)
        }
        guard case .file(let path, let key) = self else { return self }
        return .file(folder: Self.anchored(path, in: folder), key: key.anchored(in: folder))
    }

    /// The member with a path that cannot be used, and what is wrong with it; `nil` when all can be used.
    var flawOfPaths: (member: String, detail: String)? {
        guard case .file(let folder, let key) = self else { return nil }
        var paths = [(member: "folder", path: folder)]
        if case .keyFile(let path?) = key { paths.append(("key.path", path)) }
        for (member, path) in paths {
            do throws(StorePathError) {
                // Whether there is a home folder is found out when the store is opened: an app may use another one.
                _ = try StorePath.absolute(path, home: "/home")
            } catch {
                return (member, error.detail)
            }
        }
        return nil
    }

    /// The absolute form of a path in a configuration.
    /// - Throws: ``/IdentityCore/TokenStoreError/unsupported(detail:)``.
    static func path(_ written: String, in context: StoreContext) throws(TokenStoreError) -> String {
        do throws(StorePathError) {
            return try StorePath.absolute(written, home: context.home)
        } catch {
            throw .unsupported(detail: error.detail)
        }
    }

    /// Where a file store is; `nil` for other stores.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func place(in context: StoreContext = StoreContext()) throws -> StorePlace? {
        guard case .file(let folder, _) = self else { return nil }
        return try Self.place(folder, in: context)
    }

    /// Where the store is whose folder is written like this.
    static func place(_ written: String, in context: StoreContext) throws(TokenStoreError) -> StorePlace {
        try StorePlace(at: path(written, in: context))
    }

    fileprivate static func anchored(_ path: String, in folder: String) -> String {
        path.isEmpty || !StorePath.isRelative(path) ? path : StorePath.anchored(path, in: folder)
    }
}

extension StoreConfiguration.Key {
    fileprivate func anchored(in folder: String) -> StoreConfiguration.Key {
        guard case .keyFile(let path?) = self else { return self }
        return .keyFile(path: StoreConfiguration.anchored(path, in: folder))
    }
}
