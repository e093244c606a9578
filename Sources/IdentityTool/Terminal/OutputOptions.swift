import ArgumentParser

struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON instead of text.")
    var json = false

    @Flag(help: "With --json: print the JSON Schema of the result, and do nothing else.")
    var schema = false
}
