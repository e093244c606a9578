import IdentityKit

/// An RSA key as OpenSSL writes it. Made for the tests.
enum OpenSSLKey {
    /// The thumbprint of its public half (RFC 7638), computed beside this library.
    static let thumbprint = "--xGLPhKMIUEeXktPotPUpS3IfGiob4EEfPfwjEZeUk"

    /// In PKCS #8 form.
    static let pkcs8: Secret = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC/vn+lhHYF7N/9
        z7zLi+HpM3e1NqfOn6KYHryHJnJJ+qBH/kIzFApultgXa0BjRRr63dKK8nktLs7x
        XL84gIiXhKWb2XPY64Ia02Co4nFtN/9XN/sLvJoJKZr4t2IoJKpxqHwHMEbKv7II
        7oDYpT0z6ciDS/WD4nlYvITdbBsz2XncU7t9yhTlpOhKwaoYWD2NxD7Q7pcuWpjn
        BsMmQFkqFggWL54bN0wfZOekSAKGE/oPfEI4XXQxDNK3Z27+qNY+DW0sXzsBUcde
        HB0XAZYfOzcmipy+7QuZBAcGpMFyMFGhAqJO0seL4IwZ4WnUKPYwKrBTJJaXAA3E
        iwe8R6xBAgMBAAECggEADs0ix2EhRzXQ2KPnnALRTpIlhHySmZWjFIES5o/mNKW/
        J6+N5ql+YKkOR0iFMOSNv53N+eHbzswVN3aEYFUzthaMPiqcEbukUHPOu1q3jMnM
        0SvGGlLVxS1MBDULw7OI4Lszz84/OLlxgdT/ZzniLpa2XsRHUIXz/hCXZQxKUUcv
        D0rifEFWY4Yagu9H77CiGm3nO7i0yCY2prkka/thTxqpVpivVSeIlThbUEZ++Mml
        BZ4VvmB/KKgUKYDrX2B6br8+o/vVqV9Tiv0EXC392+biB1sNcZMRIB/PCSuP/PCe
        vfh+82fcYaRjk8VHigSb0VKEEMOqRT68fYGmcC4LQQKBgQDzy5gZXm1vwggCL1ZE
        f89VV+AsZSO+DgLmARmlbea+oBJuwBaE89NIsU0dTvY7KAPO5XP/NFJFBAqrHcQa
        uK2C1mbEgK7f4WF7aXDlS7IS5GOwr7QsXKMNno7XSGM1UI6ODXlHOwcSN3VXZgfE
        MtlUZDPm7PTuQIdVNbqGd7oPCQKBgQDJV9Uy8N3nId4S1o868Gc3TLZlBiJdnKyR
        6IR2RNVqCXv1+ibDvoxbcOEPx3BHoaMt/BRWbIbHr2ZofoK/SJHt/DzHLDI4jXGk
        V9J32PSgvJnLEdSGt/wHOqAj5zbPwxMuXn4gOyyfpXITppl3hA4cDopgLnxrnm2z
        8NM9hOVJeQKBgQCz/oLjaAYgVv8WreBhXoOzHNgTrvB+p1WYfwNyUfvkjcZOIl/9
        9Q7vQogOtXeyIU7+eAX2S6jZ76v4vldE60ifqq/hMKjr/ji8pxKFGCf3LswzbOX3
        QsXXjlMjuvwUJs+5LVV3M6t61Zs61ceyIWC3n+t5+US0isvgK3T1RnwGEQKBgQCA
        jzqseivWR0O7F5EA+zuMjcjwnIgY6c8uox7hPXZfbIrgNsfFuMd6I4sxPhEtS8Ib
        vJdnz4gHvLFRC2aEqNu075gHPOscPQRRAVp79+XLNGGmzk27b4LXQtG52wqeglqf
        AurZva7yiPtcHMZlD8bKl2Y3n7cGKHS3ro/S+iZFUQKBgApLXgzu7Sahcq2ymRtf
        gBtJoy0zOpMGnD0T6to51FS4ih5HTuOMnftqOKENdyUUwATdcdp7/x6PVK9I/IhS
        kxGK40K09HdCOgXU/k6m6+ynXKSQC43G/ZK1pIUQuWZUAUReWFmtDLrXZqXcvBGj
        HGvold+CkftyUueZ0H0kz6Gl
        -----END PRIVATE KEY-----
        """

    /// In PKCS #1 form.
    static let pkcs1: Secret = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEpAIBAAKCAQEAv75/pYR2Bezf/c+8y4vh6TN3tTanzp+imB68hyZySfqgR/5C
        MxQKbpbYF2tAY0Ua+t3SivJ5LS7O8Vy/OICIl4Slm9lz2OuCGtNgqOJxbTf/Vzf7
        C7yaCSma+LdiKCSqcah8BzBGyr+yCO6A2KU9M+nIg0v1g+J5WLyE3WwbM9l53FO7
        fcoU5aToSsGqGFg9jcQ+0O6XLlqY5wbDJkBZKhYIFi+eGzdMH2TnpEgChhP6D3xC
        OF10MQzSt2du/qjWPg1tLF87AVHHXhwdFwGWHzs3Joqcvu0LmQQHBqTBcjBRoQKi
        TtLHi+CMGeFp1Cj2MCqwUySWlwANxIsHvEesQQIDAQABAoIBAA7NIsdhIUc10Nij
        55wC0U6SJYR8kpmVoxSBEuaP5jSlvyevjeapfmCpDkdIhTDkjb+dzfnh287MFTd2
        hGBVM7YWjD4qnBG7pFBzzrtat4zJzNErxhpS1cUtTAQ1C8OziOC7M8/OPzi5cYHU
        /2c54i6Wtl7ER1CF8/4Ql2UMSlFHLw9K4nxBVmOGGoLvR++wohpt5zu4tMgmNqa5
        JGv7YU8aqVaYr1UniJU4W1BGfvjJpQWeFb5gfyioFCmA619gem6/PqP71alfU4r9
        BFwt/dvm4gdbDXGTESAfzwkrj/zwnr34fvNn3GGkY5PFR4oEm9FShBDDqkU+vH2B
        pnAuC0ECgYEA88uYGV5tb8IIAi9WRH/PVVfgLGUjvg4C5gEZpW3mvqASbsAWhPPT
        SLFNHU72OygDzuVz/zRSRQQKqx3EGritgtZmxICu3+Fhe2lw5UuyEuRjsK+0LFyj
        DZ6O10hjNVCOjg15RzsHEjd1V2YHxDLZVGQz5uz07kCHVTW6hne6DwkCgYEAyVfV
        MvDd5yHeEtaPOvBnN0y2ZQYiXZyskeiEdkTVagl79fomw76MW3DhD8dwR6GjLfwU
        VmyGx69maH6Cv0iR7fw8xywyOI1xpFfSd9j0oLyZyxHUhrf8BzqgI+c2z8MTLl5+
        IDssn6VyE6aZd4QOHA6KYC58a55ts/DTPYTlSXkCgYEAs/6C42gGIFb/Fq3gYV6D
        sxzYE67wfqdVmH8DclH75I3GTiJf/fUO70KIDrV3siFO/ngF9kuo2e+r+L5XROtI
        n6qv4TCo6/44vKcShRgn9y7MM2zl90LF145TI7r8FCbPuS1VdzOretWbOtXHsiFg
        t5/reflEtIrL4Ct09UZ8BhECgYEAgI86rHor1kdDuxeRAPs7jI3I8JyIGOnPLqMe
        4T12X2yK4DbHxbjHeiOLMT4RLUvCG7yXZ8+IB7yxUQtmhKjbtO+YBzzrHD0EUQFa
        e/flyzRhps5Nu2+C10LRudsKnoJanwLq2b2u8oj7XBzGZQ/GypdmN5+3Bih0t66P
        0vomRVECgYAKS14M7u0moXKtspkbX4AbSaMtMzqTBpw9E+raOdRUuIoeR07jjJ37
        ajihDXclFMAE3XHae/8ej1SvSPyIUpMRiuNCtPR3QjoF1P5Opuvsp1ykkAuNxv2S
        taSFELlmVAFEXlhZrQy612al3LwRoxxr6JXfgpH7clLnmdB9JM+hpQ==
        -----END RSA PRIVATE KEY-----
        """
}
