extension IdentityClient {
    /// The options of one sign-in, which override those of the configuration: prompt, login hint and maximum age.
    public typealias SignInOptions = SignInWishes
}
