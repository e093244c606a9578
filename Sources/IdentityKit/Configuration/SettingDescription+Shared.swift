extension SettingDescription {
    package static let trustedCertificates = SettingDescription(
        "trustedCertificates",
        "Certificate authorities to trust besides the system's, in PEM form or as paths of files; not on Linux.",
        example: ["authority.pem"])

    package static let allowsLoopbackHTTP = SettingDescription(
        "allowsLoopbackHTTP", "Whether plain http to this machine is accepted, for a local test server.",
        example: true, default: false)
}
