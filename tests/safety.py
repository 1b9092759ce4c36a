"""What may not stand in anything that is published here: a reachable address, a dialable number, a brand, a command.

`unsafe` is used on every string of the construction, on the texts of built cases and on what OCR reads from their
pictures. The list of brands is short by nature and catches slips, not intent.
"""

from __future__ import annotations

import re

RESERVED = re.compile(r"(?:^|\.)(?:example|test|invalid|localhost|example\.(?:com|net|org))$")

# Endings of file names (.md, .py, .sh) are endings of hosts too; those are left out.
HOST = re.compile(
    r"\b(?:[\w-]+\.)+(?:com|net|org|io|dev|co|app|edu|gov|info|biz|uk|de|fr|nl|it|es|eu|cn|ru|jp|us|ca|au|onion|xyz|top|online|site|shop)\b",
    re.IGNORECASE,
)
MAIL = re.compile(r"[\w.+-]+@((?:[\w-]+\.)*[\w-]*\w)")
LINK = re.compile(r"\b(?:https?|ftp|wss?)://([^\s/\"'<>:]+)", re.IGNORECASE)
OTHER_SCHEME = re.compile(r"\b(?:javascript|file|tel|sms|bitcoin):\S|\bdata:\w+/", re.IGNORECASE)
ADDRESS = re.compile(r"\b(\d{1,3}(?:\.\d{1,3}){3})\b")
RESERVED_ADDRESS = re.compile(r"^(?:192\.0\.2|198\.51\.100|203\.0\.113|127\.0\.0|10\.\d+\.\d+|192\.168\.\d+)\.\d+$")
PHONE = re.compile(r"(?<![\w.-])(?:\+\d[\d ()./-]{7,}\d|\(\d{3}\) ?\d{3}[-. ]\d{4}|\d{3}[-. ]\d{3}[-. ]\d{4}|\d{3}-\d{4})(?![\w-])")
FREE_PHONE = re.compile(r"555-?01\d\d$")

BRANDS = (
    "Google|Gmail|Chrome|Android|Pixel \\d|iPhone|iPad|iCloud|iOS|macOS|MacBook|AirPods|Siri|Microsoft|Windows (?:XP|[0-9]+|Defender|"
    "Hello|Update)|OneDrive|SharePoint|Office 365|Skype|Xbox|Amazon|AWS|Alexa|Kindle|Facebook|Instagram|WhatsApp|Twitter|"
    "TikTok|YouTube|Netflix|Spotify|Slack|Dropbox|GitHub|GitLab|Bitbucket|Jira|Atlassian|Trello|PayPal|Venmo|Mastercard|"
    "Amex|American Express|eBay|Craigslist|Etsy|Airbnb|Expedia|Uber|Lyft|Samsung|Huawei|Xiaomi|Sony|Nintendo|Intel|Nvidia|"
    "NVIDIA|IBM|Oracle|Salesforce|Adobe|Photoshop|Acrobat|Firefox|Mozilla|Ubuntu|Debian|Fedora|Kubernetes|OpenAI|ChatGPT|"
    "GPT-\\d|Anthropic|Gemini|Copilot|Walmart|Tesco|Aldi|Lidl|IKEA|Ikea|Starbucks|McDonald|Coca-Cola|Pepsi|Nike|Adidas|Esso|"
    "Hilton|Marriott|DHL|FedEx|Barclays|HSBC|Citibank|Wells Fargo|Santander|Revolut|Klarna|LinkedIn|Reddit|Discord|Telegram|"
    "WordPress|Shopify|Lufthansa|Ryanair|Pfizer|Bayer|Nurofen|Tylenol|Vodafone|Verizon|T-Mobile|Tesla|Toyota|BMW|Volkswagen|"
    "Lego|Disney|Western Union|MoneyGram|Coinbase|Binance|Norton|McAfee|Kaspersky"
)
BRAND = re.compile(rf"\b(?:{BRANDS})\b")

COMMAND = re.compile(
    r"\brm\s+-\w*[rf]|\bcurl\s+\S|\bwget\s+\S|\bsudo\s+\S|\bpowershell\b|\bcmd\.exe\b|\bmkfs\b|\bdd\s+if=|\bchmod\s+(?:\+|0?7)|"
    r"\|\s*(?:ba|z)?sh\b|\bbase64\s+-d|\bnc\s+-\w|\bssh\s+\S+@|\bDROP\s+TABLE\b|\bformat\s+c:|\breg\s+(?:add|delete)\b|"
    r"\bvssadmin\b|\bcertutil\b|\bInvoke-\w+|/dev/tcp/|:\(\)\s*\{",
    re.IGNORECASE,
)


def unsafe(text: str) -> list[str]:
    """What in a text could reach, name or do something real; an empty list is good."""
    found = [f"host {m[0]}" for m in HOST.finditer(text) if not RESERVED.search(m[0].lower())]
    found += [f"mail {m[0]}" for m in MAIL.finditer(text) if not RESERVED.search(m[1].lower())]
    found += [f"link {m[0]}" for m in LINK.finditer(text) if not RESERVED.search(m[1].lower())]
    found += [f"scheme {m[0][:40]}" for m in OTHER_SCHEME.finditer(text)]
    found += [f"address {m[1]}" for m in ADDRESS.finditer(text) if not RESERVED_ADDRESS.match(m[1])]
    found += [f"phone {m[0]}" for m in PHONE.finditer(text) if not FREE_PHONE.search(m[0])]
    found += [f"brand {m[0]}" for m in BRAND.finditer(text)]
    found += [f"command {m[0]}" for m in COMMAND.finditer(text)]
    return found
