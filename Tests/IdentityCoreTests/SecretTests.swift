import Foundation
import IdentityCore
import Testing

@Suite struct SecretTests {
    private struct Holder {
        let name = "holder"
        let secret: Secret = "s3cr3t-value"
    }

    @Test("No way of printing shows the content")
    func printing() {
        let holder = Holder()
        var dumped = ""
        dump(holder, to: &dumped)
        let texts = [
            "\(holder.secret)", String(reflecting: holder.secret), "\(holder)", String(reflecting: holder),
            "\([holder.secret])", "\(Optional(holder.secret) as Any)", dumped,
        ]
        for text in texts { #expect(!text.contains("s3cr3t")) }
    }

    @Test("The content is there for whoever asks for it")
    func reveal() {
        #expect(Holder().secret.reveal() == "s3cr3t-value")
    }
}
