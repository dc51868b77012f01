"""The explanations audit: robust and informative, or vacuous, or leaky?"""
