#if os(Linux)
import Foundation

/// A system call that concerns the store's files, as `system-calls.c` logged it before it was made.
struct SystemCall: Sendable, Equatable, CustomStringConvertible {
    /// Its number among the calls of its process, counted from 1.
    let number: Int
    /// `create` is an `open` that may create the file.
    let name: String
    /// The file; the new name, where there are two.
    let path: String

    var description: String { "call \(number), \(name) \(path)" }

    /// The calls in a log.
    static func all(inLog log: URL, below folder: URL) throws -> [SystemCall] {
        try String(contentsOf: log, encoding: .utf8).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
            guard parts.count == 3, let number = Int(parts[0]) else { return nil }
            let path = parts[2].hasPrefix(folder.path) ? String(parts[2].dropFirst(folder.path.count)) : parts[2]
            return SystemCall(number: number, name: parts[1], path: path)
        }
    }

    /// Whether it puts a new record into its place.
    func replacesRecord(in collection: String) -> Bool {
        name == "rename" && path.contains("/\(collection)/")
    }
}

/// What a call can be made to do instead of what it was made for.
enum SystemCallFault: String, Sendable, CaseIterable {
    case noSpace = "ENOSPC"
    case deviceError = "EIO"
    case noDescriptors = "EMFILE"
    case interrupted = "EINTR"
    /// Half of the bytes, as if by accident.
    case short

    /// Whether the kernel may answer `call` with it.
    func befalls(_ call: SystemCall) -> Bool {
        names?.contains(call.name) ?? true
    }

    /// The calls that the kernel may answer with it; `nil` for all of them.
    var names: [String]? {
        switch self {
        case .noSpace:
            ["create", "mkdir", "link", "rename", "write", "ftruncate", "posix_fallocate", "fsync", "fdatasync"]
        case .deviceError: nil
        case .noDescriptors: ["open", "create", "opendir"]
        case .interrupted:
            [
                "open", "create", "read", "write", "fsync", "fdatasync", "flock", "ftruncate", "posix_fallocate",
                "close",
            ]
        case .short: ["read", "write"]
        }
    }

    /// As the library is told.
    var action: String {
        switch self {
        case .noSpace: "\(ENOSPC)"
        case .deviceError: "\(EIO)"
        case .noDescriptors: "\(EMFILE)"
        case .interrupted: "\(EINTR)"
        case .short: "short"
        }
    }
}

/// Which calls of a process are disturbed, and how.
struct Disturbance: Sendable, CustomStringConvertible {
    enum Action: Sendable {
        /// The process is killed instead of the call.
        case kill
        /// The call fails, or does half.
        case fault(SystemCallFault)
    }

    let action: Action
    /// The first one, as it was logged without a disturbance.
    let call: SystemCall
    var duration = Duration.once

    /// How many calls in a row fail.
    enum Duration: Sendable {
        case once
        /// More than one attempt to store something takes.
        case forAWhile
        case forGood

        /// Zero for all of them.
        var count: Int {
            switch self {
            case .once: 1
            case .forAWhile: 30
            case .forGood: 0
            }
        }
    }

    var description: String {
        switch action {
        case .kill: "killed at \(call)"
        case .fault(let fault): "\(fault.rawValue), \(duration), at \(call)"
        }
    }

    var environment: [String: String] {
        var environment = [
            "SYSTEM_CALLS_FROM": "\(call.number)", "SYSTEM_CALLS_COUNT": "\(duration.count)",
            "SYSTEM_CALLS_ACTION": "kill",
        ]
        if case .fault(let fault) = action {
            environment["SYSTEM_CALLS_ACTION"] = fault.action
            environment["SYSTEM_CALLS_NAMES"] = fault.names.map { " \($0.joined(separator: " ")) " }
        }
        return environment
    }

    // MARK: What to do to a program that makes these calls

    static func kills(at calls: [SystemCall]) -> [Disturbance] {
        calls.map { Disturbance(action: .kill, call: $0) }
    }

    /// Each call fails once in each way it can.
    static func faults(of calls: [SystemCall]) -> [Disturbance] {
        calls.flatMap { call in
            SystemCallFault.allCases.filter { $0.befalls(call) }.map { Disturbance(action: .fault($0), call: call) }
        }
    }

    /// From each call on the disk is full or does not answer, or there is no descriptor to be had.
    static func lastingFaults(of calls: [SystemCall], _ duration: Duration) -> [Disturbance] {
        calls.flatMap { call in
            [SystemCallFault.noSpace, .deviceError, .noDescriptors].filter { $0.befalls(call) }
                .map { Disturbance(action: .fault($0), call: call, duration: duration) }
        }
    }
}
#endif
