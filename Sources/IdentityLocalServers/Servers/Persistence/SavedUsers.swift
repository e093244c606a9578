/// The saved users of a server, and the users that its configuration contained at the time of saving.
struct SavedUsers<User: Codable & Sendable & Equatable, Record: Codable & Sendable>: Codable, Sendable {
    let users: [Record]
    let configured: [User]
}

extension Optional {
    /// Returns the users after a start: the saved users, with later changes of the configuration applied. A user who was added
    /// or changed in the configuration is created from the configuration, and loses changes that the server saved. A user who
    /// was removed from the configuration is removed.
    /// - Parameters:
    ///   - configured: the users of the current configuration.
    ///   - make: creates the server's record of a configured user.
    func restored<User, Record>(
        for configured: [User], id: (User) -> String, savedID: (Record) -> String, make: (User) -> Record
    ) -> [Record] where Wrapped == SavedUsers<User, Record> {
        let known = Dictionary((self?.configured ?? []).map { (id($0), $0) }) { _, last in last }
        let present = Set(configured.map(id))
        let changed = configured.filter { known[id($0)] != $0 }
        let replaced = Set(changed.map(id)).union(known.keys.filter { !present.contains($0) })
        return (self?.users ?? []).filter { !replaced.contains(savedID($0)) } + changed.map(make)
    }
}
