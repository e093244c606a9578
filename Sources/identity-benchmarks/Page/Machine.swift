import Foundation

struct Machine: Encodable {
    let processor: String
    let cores: Int
    let kernel: String
    let swift: String
    let isOptimized: Bool
    /// The load average of the minute before the run; 0 if the system does not report it.
    let load: Double

    init() {
        cores = ProcessInfo.processInfo.activeProcessorCount
        let details = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = details.split(whereSeparator: \.isNewline).first { $0.hasPrefix("model name") }
        processor =
            model?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown processor"
        let release = try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
        kernel =
            release.map { "Linux " + $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            ?? ProcessInfo.processInfo.operatingSystemVersionString
        var loads = [Double](repeating: 0, count: 3)
        load = getloadavg(&loads, 3) > 0 ? loads[0] : 0
        #if DEBUG
        isOptimized = false
        #else
        isOptimized = true
        #endif
        swift = Self.swiftVersion
    }

    var description: String {
        "\(processor), \(cores) cores, \(kernel), \(swift)\(isOptimized ? "" : ", not optimized"), "
            + "load \(String(format: "%.2f", load)) at the start"
    }

    private static var swiftVersion: String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("swift-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        guard let swift = Program.installed("swift"),
            (try? Program(path: swift, arguments: ["--version"]).run(writingTo: file.path)) != nil,
            let text = try? String(contentsOf: file, encoding: .utf8),
            let version = text.firstMatch(of: /Swift version (\S+)/)
        else { return "Swift" }
        return "Swift \(version.1)"
    }
}
