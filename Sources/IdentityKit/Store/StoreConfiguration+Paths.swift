extension StoreConfiguration {
    /// The same with relative paths made to start at `folder`, in which the configuration was found. It means one store
    /// then, whatever folder a program is started in.
    func anchored(in folder: String) -> StoreConfiguration {
        guard case .file(let path, let key) = self else { return self }
        return .file(folder: Self.anchored(path, in: folder), key: key.anchored(in: folder))
    }

    /// What is wrong with the paths, and with which member; `nil` when they can be used.
    var flawOfPaths: (member: String, detail: String)? {
        guard case .file(let folder, let key) = self else { return nil }
        do throws(StorePathError) {
            _ = try StorePath.absolute(folder)
        } catch {
            return ("folder", error.detail)
        }
        guard case .keyFile(let path?) = key else { return nil }
        do throws(StorePathError) {
            _ = try StorePath.absolute(path)
        } catch {
            return ("key.path", error.detail)
        }
        return nil
    }

    /// The absolute path that `written` is for a store.
    /// - Throws: ``TokenStoreError/unsupported(detail:)``.
    static func path(_ written: String) throws(TokenStoreError) -> String {
        do throws(StorePathError) {
            return try StorePath.absolute(written)
        } catch {
            throw .unsupported(detail: error.detail)
        }
    }

    /// The folder of a store in files; `nil` for every other store.
    /// - Throws: ``TokenStoreError``.
    package var folderPath: String? {
        get throws {
            guard case .file(let folder, _) = self else { return nil }
            return try Self.path(folder)
        }
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
