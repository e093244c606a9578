import Foundation

extension IdentityClient {
    /// Follows a configuration file until the task is cancelled: ``reload(_:)`` applies every change of it.
    ///
    /// A file that cannot be used changes nothing; ``events()`` tells why. The file is checked at once and after each pause,
    /// which works on every system and for files that are replaced, linked or on a network.
    /// - Parameters:
    ///   - file: the document.
    ///   - profile: which of its profiles; by default what `SWIFT_IDENTITY_PROFILE` or the document says.
    ///   - pause: the time between two checks.
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

/// Detects a changed file without reading it.
private struct FileState: Equatable {
    let number: UInt64?
    let size: UInt64?
    let modified: Date?

    init?(of file: URL) {
        // Of a symbolic link the target counts, because configurations are often deployed by links.
        let path = file.resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        number = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value
        size = (attributes[.size] as? NSNumber)?.uint64Value
        modified = attributes[.modificationDate] as? Date
    }
}
