import Foundation

extension IdentityClient {
    /// Follows a configuration file until the task is cancelled: a changed file is read and takes effect.
    ///
    /// A file that cannot be used changes nothing; listeners to ``events()`` learn why. The file is looked at once at the
    /// beginning and then after each pause, because every system can do that, also when the file is replaced, linked or
    /// on a network.
    /// - Parameters:
    ///   - file: the document.
    ///   - profile: which of its profiles; by default what `SWIFT_IDENTITY_PROFILE` or the document says.
    ///   - pause: how long to wait between two looks.
    public func follow(_ file: URL, profile: String? = nil, every pause: Duration = .seconds(1)) async {
        var last: FileState?
        while !Task.isCancelled {
            let current = FileState(of: file)
            if current != last {
                last = current
                reload(contentsOf: file, profile: profile)
            }
            guard (try? await environment.time.sleep(for: pause)) != nil else { return }
        }
    }

    private func reload(contentsOf file: URL, profile: String?) {
        do {
            try reload(
                IdentityConfiguration(contentsOf: file, profile: profile, variables: environment.variables))
        } catch {
            tell(.configurationRejected(error.scrubbedMessage))
        }
    }
}

/// What tells a changed file without reading it.
private struct FileState: Equatable {
    let number: UInt64?
    let size: UInt64?
    let modified: Date?

    init?(of file: URL) {
        // A link's target is what counts: that is how configurations are deployed.
        let path = file.resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        number = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value
        size = (attributes[.size] as? NSNumber)?.uint64Value
        modified = attributes[.modificationDate] as? Date
    }
}
