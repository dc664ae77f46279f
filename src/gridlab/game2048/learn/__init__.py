"""Networks of 2048: used, and trained.

ntuple_file                                         their files, and what those of all networks hold
ntuple_kernels, ntuple                              n-tuple networks learnt by temporal differences
policy_networks, policy                             networks that choose a direction: weights and files, at play
supervised/                                         which they learn from the games of others
"""
