extension IdentityClient {
    /// The wishes for one sign-in, beyond what is configured.
    public typealias SignInOptions = SignInWishes
}
