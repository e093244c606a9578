import Foundation

private struct FootprintReport: Decodable {
    let buildSeconds: Double
    let buildSecondsOfOurs: Double
    let bytesAdded: [String: Double]
}

extension Section {
    static let consumerBuild = Section(
        name: "consumer-build", group: "footprint",
        title: "Clean build of a consumer on Linux, what is ours of it (CPU)",
        aim: "≤ 40 s", reason: "The compiler's time for IdentityKit, IdentityOAuth and the providers."
    ) { bench in
        let report = try report(bench)
        return Measurement(figures: [
            Figure(
                name: "our modules", role: .ours, processor: Statistics(report.buildSecondsOfOurs), processorAim: 40),
            Figure(name: "all, with the crypto package", role: .limit, processor: Statistics(report.buildSeconds)),
            .peer("Okta, all", processor: 52, measured: "2026-11"),
        ])
    }

    static let appSize = Section(
        name: "app-size", group: "footprint", title: "App size added on Linux, stripped",
        aim: "≤ 4 MB, IdentityCore ≤ 1 MB", unit: .bytes,
        reason: """
            Before linking, with the tables for unwinding the stack, IdentityKit is 4.0 MB, IdentityOAuth 2.2, IdentityCore \
            0.8, the provider types 0.2, the store's format 0.1, and the crypto package 3.8 (BoringSSL 1.9, Crypto 0.8, \
            CryptoExtras 0.6, ASN.1 0.3); ThunderID's provider is 0.8 and its client 0.5, InsForge's 0.5 and 0.3 \
            (`.ci/size-map`). Of an app with IdentityKit and the provider types, code is 8.1 MB, unwinding tables 1.9, constants \
            and relocations 1.6. The linker drops only whole modules, as the compiler has a section for each function only with \
            an option that a package which others depend on must not set.
            """
    ) { bench in
        let added = try report(bench).bytesAdded.sorted { $0.value < $1.value }
        return Measurement(
            figures: added.map {
                Figure(name: $0.key, role: .ours, wall: Statistics($0.value), aim: $0.key == "IdentityCore" ? 1e6 : 4e6)
            } + [.peer("Okta", wall: 1.55e6, measured: "2026-11")])
    }

    private static func report(_ bench: Bench) throws -> FootprintReport {
        guard let file = bench.footprint else {
            throw Skipped(description: "--footprint is missing: .ci/footprint > footprint.json")
        }
        return try JSONDecoder().decode(FootprintReport.self, from: try Data(contentsOf: URL(fileURLWithPath: file)))
    }
}
