import Foundation

/// `openssl s_server` with a certificate that it signed itself.
package final class TLSServer: Sendable {
    package let port: Int
    /// Unchecked is sound: after its start the process is only asked whether it runs, and ended, by ``deinit``.
    private struct Running: @unchecked Sendable {
        let process: Process
    }

    private let running: Running
    private let folder: URL

    private init(port: Int, process: Process, folder: URL) {
        (self.port, self.running, self.folder) = (port, Running(process: process), folder)
    }

    deinit {
        // Whoever starts a program from a thread of Dispatch gives it blocked signals; this one cannot be.
        if running.process.isRunning { kill(running.process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts one that ends by itself after a few connections.
    /// - Parameter host: what its certificate is for.
    package static func start(host: String) async throws -> TLSServer {
        let folder = try certificateFolder(host: host)
        let server = process(in: folder, ["-accept", "0", "-naccept", "8", "-www"])
        let output = Pipe()
        (server.standardInput, server.standardOutput) = (FileHandle.nullDevice, output)
        try server.run()
        // A port of the system's choice, which it prints.
        var text = ""
        while !text.contains("\nACCEPT") && !text.hasPrefix("ACCEPT") || !text.hasSuffix("\n") {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { break }
            text += String(decoding: part, as: UTF8.self)
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix("ACCEPT") }
        let port = line?.split(separator: ":").last.flatMap { Int($0) }
        guard let port else { throw CocoaError(.executableLoad) }
        return TLSServer(port: port, process: server, folder: folder)
    }

    /// Starts one for a single connection, which passes on what is written to and read from `descriptor`. The program begins
    /// to listen some time after its start.
    /// - Parameter application: the protocol that it agrees on (RFC 7301), such as `h2`.
    package static func start(host: String, application: String, through descriptor: Int32) throws -> TLSServer {
        let folder = try certificateFolder(host: host)
        let port = FreePort.find()
        let server = process(
            in: folder, ["-accept", "\(port)", "-naccept", "1", "-quiet", "-alpn", application])
        let end = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        (server.standardInput, server.standardOutput) = (end, end)
        try server.run()
        return TLSServer(port: port, process: server, folder: folder)
    }

    package var isRunning: Bool { running.process.isRunning }

    /// Ends the program, and with it its connections.
    package func end() { kill(running.process.processIdentifier, SIGKILL) }

    private static func certificateFolder(host: String) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try run(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                "/CN=\(host)", "-addext", "subjectAltName=DNS:\(host)", "-days", "1", "-keyout", "key.pem", "-out",
                "certificate.pem",
            ],
            in: folder)
        return folder
    }

    private static func process(in folder: URL, _ arguments: [String]) -> Process {
        let server = Process()
        server.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        server.arguments = ["s_server", "-key", "key.pem", "-cert", "certificate.pem"] + arguments
        server.currentDirectoryURL = folder
        server.standardError = FileHandle.nullDevice
        return server
    }

    /// Its certificate in PEM form.
    package var certificate: Data {
        get throws { try Data(contentsOf: folder.appendingPathComponent("certificate.pem")) }
    }

    /// Keeps it until here; it ends when the test lets go of it.
    package func stop() {}

    private static func run(_ arguments: [String], in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    }
}
