/// The command-line tool as a library.
public enum IdentityTool {
    /// Runs the command that the process was started with, and ends the process with the command's exit status.
    public static func main() async {
        await IdentityCommand.main()
    }
}
