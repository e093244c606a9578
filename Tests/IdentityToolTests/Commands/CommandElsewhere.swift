import Testing

/// A printed command that a scenario cannot run in seconds, and the script or test that runs it.
struct CommandElsewhere: Sendable, CustomTestStringConvertible {
    let line: String
    /// What runs it, or the script whose own help describes it.
    let file: String
    /// How it is called there.
    let text: String

    var testDescription: String { line }

    /// - Parameters:
    ///   - line: the command as it is printed.
    ///   - file: what runs it.
    ///   - text: how it is called there; `nil` when that is as it is printed.
    private init(_ line: String, in file: String, as text: String? = nil) {
        (self.line, self.file, self.text) = (line, file, text ?? line)
    }

    static let all = users + byNewcomer + byContinuousIntegration + byHand

    private static let scenarios = "Tests/IdentityToolTests/Commands"

    /// What somebody runs who uses the package.
    private static let users = [
        CommandElsewhere("swift run identity demo", in: ".ci/run", as: "identity demo"),
        CommandElsewhere("swift run identity init", in: "\(scenarios)/SetupScenarios.swift", as: "identity init"),
        CommandElsewhere("swift run identity token", in: "\(scenarios)/SetupScenarios.swift", as: "identity token"),
        CommandElsewhere(
            "swift run identity serve", in: "\(scenarios)/DevelopmentScenarios.swift", as: "identity serve"),
        CommandElsewhere("swift test", in: ".ci/run", as: "swift test --skip-build"),
        CommandElsewhere(
            ".ci/release && sudo cp -R .build/installed/. /usr/local/", in: ".ci/run", as: "$(.ci/release"),
    ]

    /// What the pages for an app, an SDK and a plug-in tell to run. `.ci/newcomer` follows them to the letter, and stops at the
    /// first command that fails.
    private static let byNewcomer = [
        "git clone https://github.com/swift-identity/swift-identity.git",
        "swift build --package-path swift-identity --product identity",
        #"export PATH="$PWD/swift-identity/.build/debug:$PATH""#,
        "mkdir notes && cd notes", "swift package init --type executable", "rm Sources/notes/notes.swift",
        "swift run notes http://127.0.0.1:8092/api/resource", "mkdir MailKit && cd MailKit",
        "swift package init --type library",
        "cd acme-identity", "swift run acme-identity providers acme",
    ].map { CommandElsewhere($0, in: ".ci/first-hour/main.py", as: "self.follow(") }

    /// What contributors run and `.ci/run` runs as well, some of it with other options.
    private static let byContinuousIntegration = [
        CommandElsewhere("swift build --build-tests", in: ".ci/run"),
        CommandElsewhere(
            "swift test --skip-build --filter IdentityKitTests", in: ".ci/run", as: "swift test --skip-build"),
        CommandElsewhere("swift test --filter VersionTests", in: ".ci/run", as: "swift test --skip-build"),
        CommandElsewhere(
            "swift format format --in-place --recursive Sources Providers Tests Documentation/Examples Package.swift",
            in: ".ci/run", as: "swift format lint --recursive --strict Sources Providers Tests"),
        CommandElsewhere("bash .ci/run", in: ".github/workflows/checks.yml", as: ".ci/run"),
        CommandElsewhere(".ci/postgres", in: ".ci/programs"),
        CommandElsewhere(".ci/release", in: ".ci/run"),
        CommandElsewhere("installed=$(.ci/release | tail -n 1)", in: ".ci/run", as: "installed=$(.ci/release"),
        CommandElsewhere(".ci/documentation/run", in: ".ci/run"),
        CommandElsewhere(".ci/model", in: ".ci/run"),
        CommandElsewhere(".ci/samples/run", in: ".ci/run"),
        CommandElsewhere(".ci/examples/run", in: ".ci/run"),
        CommandElsewhere(
            "swift build -c release --product identity-benchmarks", in: ".ci/run", as: ".ci/release identity-benchmarks"
        ),
        CommandElsewhere("swift build", in: ".ci/consumer"),
        CommandElsewhere(".ci/samples/run --write", in: ".ci/samples/test_samples.py"),
        CommandElsewhere(".ci/mac systems", in: ".ci/samples/test_mac.py", as: #"run_mac("systems")"#),
    ]

    /// What takes long, needs a Mac, a release or somebody who looks at the result. It is described where it is printed and
    /// in the help of the script, which have to agree.
    private static let byHand = [
        CommandElsewhere(".ci/fleet", in: ".ci/fleet"),
        CommandElsewhere(".ci/fleet --rates", in: ".ci/fleet"),
        CommandElsewhere(".ci/fleet --idle", in: ".ci/fleet"),
        CommandElsewhere(".ci/fleet --accounts 20000 --growth 200000", in: ".ci/fleet"),
        CommandElsewhere(".ci/fleet --accounts 1000 1000000", in: ".ci/fleet"),
        CommandElsewhere(".ci/samples/test", in: ".ci/long"),
        CommandElsewhere(".ci/fuzz 10", in: ".ci/fuzz"),
        CommandElsewhere(".ci/fuzz --inputs 10000000", in: ".ci/long"),
        CommandElsewhere(".ci/fuzz --inputs 10000000 tokens", in: ".ci/fuzz"),
        CommandElsewhere(".ci/counts --record", in: ".ci/counts"),
        CommandElsewhere(".ci/launcher-order FILE", in: ".ci/launcher-order"),
        CommandElsewhere(".ci/model story MISTAKE_…", in: ".ci/model", as: ".ci/model story MISTAKE..."),
        CommandElsewhere(
            ".ci/model story MISTAKE_NOTE_AFTER_SENDING", in: ".ci/model", as: "MISTAKE_NOTE_AFTER_SENDING"),
        CommandElsewhere(".ci/model story -DLEASE=NOTE -DTROUBLES=2", in: ".ci/model", as: "or of any -D options"),
        CommandElsewhere(".ci/model longer", in: ".ci/model"),
        CommandElsewhere(".ci/footprint >footprint.json", in: ".ci/footprint", as: ">footprint.json"),
        CommandElsewhere(".ci/archive --test", in: ".ci/long"),
        CommandElsewhere(".ci/sample-comments SEED", in: ".ci/sample-comments"),
        CommandElsewhere(".ci/sample-comments --check", in: ".ci/run"),
        CommandElsewhere(".ci/documentation/pages.py --write", in: ".ci/documentation/pages.py"),
        CommandElsewhere(".ci/long agents", in: ".ci/long", as: "agents() {"),
        CommandElsewhere(".ci/long busy", in: ".ci/long", as: "busy() {"),
        CommandElsewhere(".ci/long faults", in: ".ci/long"),
        CommandElsewhere(".ci/long hostile-machine", in: ".ci/long", as: "hostile-machine() {"),
        CommandElsewhere(".ci/long self-tests bill", in: ".ci/long", as: "self-tests() {"),
        CommandElsewhere(".ci/run --record", in: ".ci/run"),
        CommandElsewhere(
            ".ci/samples/run project ~/Projects", in: ".ci/samples/run", as: ".ci/samples/run project FOLDER"),
        CommandElsewhere(".ci/mac samples", in: ".ci/mac", as: "systems samples tests ui sign-in keychain"),
        CommandElsewhere(".ci/mac tests", in: ".ci/mac", as: "systems samples tests ui sign-in keychain"),
        CommandElsewhere(".ci/mac ui", in: ".ci/mac", as: "systems samples tests ui sign-in keychain"),
        CommandElsewhere(".ci/mac sign-in keychain", in: ".ci/mac", as: "systems samples tests ui sign-in keychain"),
        CommandElsewhere(".ci/mac browser", in: ".ci/mac", as: "by_hand=\"browser\""),
        CommandElsewhere(
            "swift build --build-tests --sanitize=thread --scratch-path .build/tsan", in: ".ci/sanitizers",
            as: "swift build --build-tests"),
        CommandElsewhere(
            "swift test --skip-build --sanitize=thread --scratch-path .build/tsan --filter IdentityKitTests",
            in: ".ci/sanitizers", as: "swift test --skip-build"),
        CommandElsewhere("Documentation/demo-picture", in: "Documentation/demo-picture", as: "demo.svg"),
        CommandElsewhere("Documentation/page-pictures", in: "Documentation/page-pictures", as: "pictures"),
        CommandElsewhere(
            "swift run -c release identity-benchmarks table", in: "Sources/identity-benchmarks/TableCommand.swift",
            as: "table"),
        CommandElsewhere(
            "swift run -c release identity-benchmarks table --section store",
            in: "Sources/identity-benchmarks/TableCommand.swift", as: "section"),
        CommandElsewhere(
            "swift run -c release identity-benchmarks table --section transports",
            in: "Sources/identity-benchmarks/TableCommand.swift", as: "section"),
        CommandElsewhere(
            """
            .build/release/identity-benchmarks table --tool "$installed" --footprint footprint.json \\
              --page Documentation/Performance.md --pictures Documentation/performance
            """, in: "Sources/identity-benchmarks/TableCommand.swift", as: "footprint"),
        CommandElsewhere(
            "python3 -m http.server --directory .build/documentation/swift-identity.doccarchive 8000",
            in: ".ci/documentation/run", as: "swift-identity.doccarchive"),
        // Of a release, in an empty folder.
        CommandElsewhere(
            "swift package init --type executable --name reader", in: "Documentation/RELEASING.md"),
        CommandElsewhere(#"address=$(.ci/address) && cd "$(mktemp -d)""#, in: "Documentation/RELEASING.md"),
        CommandElsewhere(
            #"swift package add-dependency "$address" --from 0.1.0"#, in: "Documentation/RELEASING.md"),
        CommandElsewhere(
            "swift package add-target-dependency IdentityKit reader --package swift-identity",
            in: "Documentation/RELEASING.md"),
    ]
}
