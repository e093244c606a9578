/// The users of a server as they are saved, with those of the configuration at that time.
struct SavedUsers<User: Codable & Sendable & Equatable, Record: Codable & Sendable>: Codable, Sendable {
    let users: [Record]
    let configured: [User]
}

extension Optional {
    /// The users after a start: the saved ones, with what has changed in the configuration since they were saved. A user that
    /// the configuration had and has no more is gone.
    /// - Parameters:
    ///   - configured: those of the configuration now.
    ///   - make: a user of the configuration as the server has it.
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
