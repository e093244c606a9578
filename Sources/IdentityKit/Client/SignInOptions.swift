extension IdentityClient {
    /// The prompt, login hint and maximum age of one sign-in. They override the configured values.
    public typealias SignInOptions = SignInWishes
}
