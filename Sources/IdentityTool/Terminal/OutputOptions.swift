import ArgumentParser

struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON instead of text.")
    var json = false

    @Flag(help: "Print the JSON Schema of the result with --json, and do nothing else.")
    var schema = false
}
