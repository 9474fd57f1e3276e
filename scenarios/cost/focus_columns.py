"""The columns of FOCUS 1.2: their types, whether they may be null, and which values they allow."""

from __future__ import annotations

COLUMNS = tuple(
    (
        "AvailabilityZone BilledCost BillingAccountId BillingAccountName BillingAccountType "
        "BillingCurrency BillingPeriodEnd BillingPeriodStart CapacityReservationId "
        "CapacityReservationStatus ChargeCategory ChargeClass ChargeDescription ChargeFrequency "
        "ChargePeriodEnd ChargePeriodStart CommitmentDiscountCategory CommitmentDiscountId "
        "CommitmentDiscountName CommitmentDiscountQuantity CommitmentDiscountStatus "
        "CommitmentDiscountType CommitmentDiscountUnit ConsumedQuantity ConsumedUnit ContractedCost "
        "ContractedUnitPrice EffectiveCost InvoiceId InvoiceIssuerName ListCost ListUnitPrice "
        "PricingCategory PricingCurrency PricingCurrencyContractedUnitPrice "
        "PricingCurrencyEffectiveCost PricingCurrencyListUnitPrice PricingQuantity PricingUnit "
        "ProviderName PublisherName RegionId RegionName ResourceId ResourceName ResourceType "
        "ServiceCategory ServiceName ServiceSubcategory SkuId SkuMeter SkuPriceDetails SkuPriceId "
        "SubAccountId SubAccountName SubAccountType Tags"
    ).split()
)
"""The 57 columns of the specification, by name."""

NEVER_NULL = tuple(
    (
        "BilledCost BillingAccountId BillingAccountType BillingCurrency BillingPeriodEnd "
        "BillingPeriodStart ChargeCategory ChargePeriodEnd ChargePeriodStart ContractedCost "
        "EffectiveCost InvoiceIssuerName ListCost PricingCurrency ProviderName PublisherName "
        "ServiceCategory ServiceName ServiceSubcategory"
    ).split()
)
DECIMALS = tuple(
    (
        "BilledCost CommitmentDiscountQuantity ConsumedQuantity ContractedCost ContractedUnitPrice "
        "EffectiveCost ListCost ListUnitPrice PricingCurrencyContractedUnitPrice "
        "PricingCurrencyEffectiveCost PricingCurrencyListUnitPrice PricingQuantity"
    ).split()
)
INSTANTS = ("BillingPeriodEnd", "BillingPeriodStart", "ChargePeriodEnd", "ChargePeriodStart")
OBJECTS = ("SkuPriceDetails", "Tags")
NO_LESS_THAN_ZERO = ("ContractedUnitPrice", "ListUnitPrice")
ALLOWED = {
    "CapacityReservationStatus": ("Used", "Unused"),
    "ChargeCategory": ("Usage", "Purchase", "Tax", "Credit", "Adjustment"),
    "ChargeClass": ("Correction",),
    "ChargeFrequency": ("One-Time", "Recurring", "Usage-Based"),
    "CommitmentDiscountCategory": ("Spend", "Usage"),
    "CommitmentDiscountStatus": ("Used", "Unused"),
    "PricingCategory": ("Standard", "Dynamic", "Committed", "Other"),
}
SUBCATEGORIES = {
    "AI and Machine Learning": (
        "AI Platforms",
        "Bots",
        "Generative AI",
        "Machine Learning",
        "Natural Language Processing",
    ),
    "Analytics": (
        "Analytics Platforms",
        "Business Intelligence",
        "Data Processing",
        "Search",
        "Streaming Analytics",
    ),
    "Compute": (
        "Containers",
        "End User Computing",
        "Quantum Compute",
        "Serverless Compute",
        "Virtual Machines",
    ),
    "Databases": (
        "Caching",
        "Data Warehouses",
        "Ledger Databases",
        "NoSQL Databases",
        "Relational Databases",
        "Time Series Databases",
    ),
    "Management and Governance": (
        "Architecture",
        "Compliance",
        "Cost Management",
        "Data Governance",
        "Disaster Recovery",
        "Endpoint Management",
        "Observability",
        "Support",
    ),
    "Networking": (
        "Application Networking",
        "Content Delivery",
        "Network Connectivity",
        "Network Infrastructure",
        "Network Routing",
        "Network Security",
    ),
    "Storage": (
        "Backup Storage",
        "Block Storage",
        "File Storage",
        "Object Storage",
        "Storage Platforms",
    ),
    "Other": (),
}
"""Service category -> its subcategories beside "Other (category)": those that a bill of GPUs can have."""
DETAILS = tuple(
    (
        "CoreCount DiskMaxIops DiskSpace DiskType GpuCount InstanceSeries InstanceType MemorySize "
        "NetworkMaxIops NetworkMaxThroughput OperatingSystem Redundancy StorageClass"
    ).split()
)
"""Keys of SkuPriceDetails that the specification defines; own keys begin with x_."""
